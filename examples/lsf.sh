#!/usr/bin/env bash
# A job of LSF that asks for its workers as jobs of their own.
#
#     bsub < examples/lsf.sh
#
#BSUB -J akdask
#BSUB -n 2
#BSUB -R "span[hosts=1] rusage[mem=8000]"
#BSUB -W 08:00
#BSUB -r
set -euo pipefail
exec akdask run examples/flows.py "${SOURCE:-flows.h5}" "${RESULTS:-results}" --folder "job-${LSB_JOBID:-0}" \
    --cluster lsf --workers 2:8 --threads 4 --memory 16GB \
    --option queue=short --option walltime=02:00 --option lsf_units=mb

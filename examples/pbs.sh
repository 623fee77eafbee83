#!/usr/bin/env bash
# A job of PBS that asks for its workers as jobs of their own.
#
#     qsub -v SOURCE=flows.h5,RESULTS=results examples/pbs.sh
#
#PBS -N akdask
#PBS -l select=1:ncpus=2:mem=8gb
#PBS -l walltime=08:00:00
#PBS -r y
set -euo pipefail
cd "${PBS_O_WORKDIR:-.}"
exec akdask run examples/flows.py "${SOURCE:-flows.h5}" "${RESULTS:-results}" --folder "job-${PBS_JOBID:-0}" \
    --cluster pbs --workers 2:8 --threads 4 --memory 16GB \
    --option queue=short --option walltime=02:00:00 --option 'resource_spec=select=1:ncpus=4:mem=16gb'

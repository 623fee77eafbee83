#!/usr/bin/env bash
# A job of SLURM that asks for its workers as jobs of their own: as many as there is work for, and new ones for those
# that die.  Start it again by the same command if it was ended: it goes on where it was.
#
#     sbatch examples/slurm.sh flows.h5 results
#
#SBATCH --job-name=akdask
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --time=08:00:00
#SBATCH --requeue
# SIGTERM two minutes before the end, for the report.
#SBATCH --signal=B:TERM@120
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
exec akdask run examples/flows.py "$@" --folder "job-${SLURM_JOB_ID:-0}" \
    --cluster slurm --workers 2:8 --threads 4 --memory 16GB \
    --option queue=short --option walltime=02:00:00 --option 'job_extra_directives=[--constraint=avx2]'

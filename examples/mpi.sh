#!/usr/bin/env bash
# One job of any batch system with MPI: the first process is the scheduler, the second runs the script, others are workers.
#
#     sbatch --ntasks=10 examples/mpi.sh flows.h5 results       # or qsub, or bsub
#
# It needs dask-mpi and an MPI library: pip install dask-mpi.
#SBATCH --job-name=akdask
#SBATCH --cpus-per-task=4
#SBATCH --time=02:00:00
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
exec mpirun akdask run examples/flows.py "$@" --folder "job-${SLURM_JOB_ID:-0}" --cluster mpi --option nthreads=4

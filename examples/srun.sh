#!/usr/bin/env bash
# One job of SLURM that has all of its nodes from the beginning: a scheduler, a worker on each node, and the script, which
# find each other by a file in a folder that all nodes see.
#
#     sbatch --nodes=4 examples/srun.sh flows.h5 results
#
#SBATCH --job-name=akdask
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=60G
#SBATCH --time=02:00:00
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
folder="job-${SLURM_JOB_ID:-0}"
nodes=${SLURM_JOB_NUM_NODES:-1}
mkdir -p "$folder"
file=$folder/scheduler.json
rm -f "$file"

dask scheduler --scheduler-file "$file" --port 0 --dashboard-address :0 > "$folder/dask-scheduler.log" 2>&1 &
scheduler=$!
srun --ntasks="$nodes" dask worker --scheduler-file "$file" --nthreads "${SLURM_CPUS_PER_TASK:-1}" \
    --local-directory "${TMPDIR:-/tmp}" > "$folder/dask-workers.log" 2>&1 &
workers=$!
# By their numbers, so that nothing else ends.
trap 'kill $workers $scheduler 2> /dev/null || true' EXIT

until [ -s "$file" ]; do
    kill -0 $scheduler || { cat "$folder/dask-scheduler.log" >&2; exit 1; }
    sleep 0.1
done
# Not by exec, as the trap ends the others.  The exit code is the script's.
akdask run examples/flows.py "$@" --folder "$folder" --cluster "$file" --workers "$nodes"

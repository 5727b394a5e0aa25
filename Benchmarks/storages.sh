#!/bin/bash
# Counts the statements that look-ups and renewals of tokens cost, with many processes on one PostgreSQL database and on one
# vault. Builds the workers in release mode. Needs a build of the tests, which start the workers. Prints the rows of the table
# in docs/performance.md. usage: Benchmarks/storages.sh [processes], 100 by default, with ten keys for each
set -euo pipefail
cd "$(dirname "$0")/.."
export POSTGRES_READERS=${1:-100}
swift build -c release --product VaultWorker --scratch-path .build/storages $(cat scripts/support/traits) >/dev/null
LOOK_UP_WORKER=$PWD/.build/storages/release/VaultWorker
export LOOK_UP_WORKER
scripts/support/test-module HttpConvPostgresStorageTests LookUpTests
grep -h '^| ' .build/logs/HttpConvPostgresStorageTests.log

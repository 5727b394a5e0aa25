#!/bin/bash
# Counts the statements that look-ups of tokens and renewals cost, by many processes on one PostgreSQL database, and on one vault.
# usage: Benchmarks/storages.sh [processes], 100 by default, with ten keys for each
set -euo pipefail
cd "$(dirname "$0")/.."
export POSTGRES_READERS=${1:-100}
scripts/support/test-module HttpConvPostgresStorageTests LookUpTests
grep 'look-ups a second' .build/logs/HttpConvPostgresStorageTests.log

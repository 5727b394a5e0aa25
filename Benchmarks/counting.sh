# Sourced by the scripts in this folder. Counts instructions in user space by valgrind, in the directory $work of the calling
# script.
command -v valgrind > /dev/null || { echo "$(basename "$0") needs valgrind" >&2; exit 1; }

countable() { # program, name: copies it into $work; valgrind does not read the debugging information of a new compiler
    strip -g -o "$work/$2" "$1"
}
# In $(...), bash goes on after a failure in spite of `set -e`: there, each call of these functions needs `|| return 1`.
count() { # program, its arguments: prints the number of instructions
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" > "$work/out" 2>&1 || { cat "$work/out" >&2; return 1; }
    awk '/Collected/ { print $4 }' "$work/out"
}
least() { # as count: the least of three counts, as threads that wait for each other differ by a percent
    for _ in 1 2 3; do count "$@" || return 1; done | sort -n | head -1
}

"""Writes a keytab with the keys of another one's realm under TEST.EXAMPLE: a server that has the right name and a wrong key."""
import pathlib
import sys

source, target = sys.argv[1:]
data = pathlib.Path(source).read_bytes()
# A realm of the same length has to fit, because the entries have lengths.
old, new = b"\x00\x0dOTHER.EXAMPLE", b"\x00\x0cTEST.EXAMPLE"
out = bytearray(data[:2])
place = 2
while place < len(data):
    length = int.from_bytes(data[place:place + 4], "big", signed=True)
    entry = data[place + 4:place + 4 + abs(length)]
    if length > 0:
        changed = entry.replace(old, new, 1)
        out += len(changed).to_bytes(4, "big") + changed
    place += 4 + abs(length)
pathlib.Path(target).write_bytes(out)

"""Reads an index store of the compiler: which declarations each source file makes and refers to."""
import ctypes
import typing

from swift_build import toolchain_library

UNIT_DEPENDENCY_RECORD = 2
ROLE_DEFINITION, ROLE_REFERENCE = 1 << 1, 1 << 2
# Enumerations, structs, classes, protocols and type aliases.
KINDS_OF_TYPES = {5, 6, 7, 8, 11}


class Occurrence(typing.NamedTuple):
    """A declaration, or a reference to one."""
    roles: int
    line: int
    column: int
    name: str
    usr: str
    kind: int


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


class IndexStore:
    def __init__(self, path):
        self.library = ctypes.CDLL(toolchain_library("libIndexStore.so"))
        pointer, text = ctypes.c_void_p, ctypes.c_char_p
        for name, result, arguments in [
            ("store_create", pointer, [text, pointer]),
            ("unit_reader_create", pointer, [pointer, text, pointer]),
            ("unit_reader_dispose", None, [pointer]),
            ("unit_reader_get_main_file", Text, [pointer]),
            ("unit_dependency_get_kind", ctypes.c_int, [pointer]),
            ("unit_dependency_get_name", Text, [pointer]),
            ("record_reader_create", pointer, [pointer, text, pointer]),
            ("record_reader_dispose", None, [pointer]),
            ("occurrence_get_symbol", pointer, [pointer]),
            ("occurrence_get_roles", ctypes.c_uint64, [pointer]),
            ("occurrence_get_line_col", None, [pointer, pointer, pointer]),
            ("symbol_get_usr", Text, [pointer]),
            ("symbol_get_kind", ctypes.c_int, [pointer]),
            ("store_get_unit_modification_time", ctypes.c_bool, [pointer, text, pointer, pointer, pointer]),
            ("symbol_get_name", Text, [pointer]),
        ]:
            self.declare(name, result, arguments)
        self.store = self.call("store_create", str(path).encode(), None)
        if not self.store:
            raise SystemExit(f"{path}: no index store")

    def declare(self, name, result, arguments):
        function = getattr(self.library, "indexstore_" + name)
        function.restype, function.argtypes = result, arguments

    def call(self, name, *arguments):
        return getattr(self.library, "indexstore_" + name)(*arguments)

    def units(self):
        names = []
        kind = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, Text)

        def visit(_, name):
            names.append(str(name))
            return True

        function = self.library.indexstore_store_units_apply_f
        function.restype = ctypes.c_bool
        function(ctypes.c_void_p(self.store), ctypes.c_uint(0), None, kind(visit))
        return names

    def references(self, files):
        """File, line, name and USR of every reference in some files."""
        for file, _, occurrences in self.files(files):
            for found in occurrences:
                if found.roles & ROLE_REFERENCE:
                    yield file, found.line, found.name, found.usr

    def files(self, files):
        """Path, time of indexing and occurrences of each of some files that is in the store."""
        stems = {file.stem for file in files}
        paths = {str(file) for file in files}
        for unit in self.units():
            # A unit is named after its object file, and that after the source.
            if unit.split(".swift", 1)[0].split(".o-", 1)[0] not in stems:
                continue
            reader = ctypes.c_void_p(self.call("unit_reader_create", self.store, unit.encode(), None))
            file = str(self.call("unit_reader_get_main_file", reader))
            if file in paths:
                found = [occurrence for record in self.records(reader) for occurrence in self.occurrences(record)]
                yield file, self.time(unit), found
            self.call("unit_reader_dispose", reader)

    def time(self, unit):
        seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
        self.call(
            "store_get_unit_modification_time", self.store, unit.encode(), ctypes.byref(seconds),
            ctypes.byref(nanoseconds), None)
        return seconds.value + nanoseconds.value / 1e9

    def records(self, reader):
        names = []
        kind = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)

        def visit(_, dependency):
            if self.call("unit_dependency_get_kind", dependency) == UNIT_DEPENDENCY_RECORD:
                names.append(str(self.call("unit_dependency_get_name", dependency)))
            return True

        function = self.library.indexstore_unit_reader_dependencies_apply_f
        function.restype = ctypes.c_bool
        function(reader, None, kind(visit))
        return names

    def occurrences(self, record):
        reader = ctypes.c_void_p(self.call("record_reader_create", self.store, record.encode(), None))
        if not reader:
            return []
        found = []
        kind = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)

        def visit(_, occurrence):
            roles = self.call("occurrence_get_roles", occurrence)
            if roles & (ROLE_DEFINITION | ROLE_REFERENCE):
                symbol = self.call("occurrence_get_symbol", occurrence)
                line, column = ctypes.c_uint(), ctypes.c_uint()
                self.call("occurrence_get_line_col", occurrence, ctypes.byref(line), ctypes.byref(column))
                name, usr = (str(self.call(f"symbol_get_{text}", symbol)) for text in ("name", "usr"))
                kind = self.call("symbol_get_kind", symbol)
                found.append(Occurrence(roles, line.value, column.value, name, usr, kind))
            return True

        function = self.library.indexstore_record_reader_occurrences_apply_f
        function.restype = ctypes.c_bool
        function(reader, None, kind(visit))
        self.call("record_reader_dispose", reader)
        return found

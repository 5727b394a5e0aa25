"""The public declarations of a module, from the compiler's symbol graphs."""
import json
import pathlib
import subprocess
import tempfile

from swift_build import c_modules, tool

# Every type has these, or their absence shows in its declaration.
IMPLICIT = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype", "Swift.BitwiseCopyable"}


class Declaration:
    def __init__(self, symbol, owner, conformances, is_default):
        self.path = tuple(symbol["pathComponents"])
        self.owner = owner
        text = "".join(part["spelling"] for part in symbol["declarationFragments"])
        self.text = " ".join(text.split())
        # The declaration of a protocol has its own.
        if conformances and symbol["kind"]["identifier"] != "swift.protocol":
            self.text += f" : {', '.join(sorted(conformances))}"
        if is_default:
            self.text += "  (default)"
        # The compiler gives a witness without a comment that of its requirement.
        self.is_documented = any(line["text"].strip() for line in symbol.get("docComment", {}).get("lines", []))

    def line(self, platforms):
        name = ".".join(self.path[:-1])
        if self.owner:
            name = f"{self.owner}.{name}" if name else self.owner
        return (f"{name}: {self.text}" if name else self.text) + (f"  [{platforms}]" if platforms else "")

    @property
    def order(self):
        return [part.split("(")[0] for part in self.path], self.owner, self.path, self.text


def extract(target, modules, folder, *options):
    """Writes the symbol graphs of a target into a folder, from a compiled module in the first of some folders that has it."""
    search = [flag for path in modules for flag in ("-I", str(path))]
    done = subprocess.run(
        [tool("swift-symbolgraph-extract"), "-module-name", target.name, *search, *target.search_flags(), *c_modules(target),
         "-minimum-access-level", "public", "-skip-synthesized-members", *options, "-output-dir", str(folder)],
        capture_output=True, text=True)
    graphs = sorted(pathlib.Path(folder).glob("*.symbols.json"))
    if done.returncode or not graphs:
        raise SystemExit(f"no symbol graph of {target.name}:\n{done.stderr}")
    return graphs


def declarations(target, modules):
    """The declarations of a target."""
    with tempfile.TemporaryDirectory() as folder:
        graphs = extract(target, modules, folder)
        return [found for graph in graphs for found in read(json.loads(graph.read_text()), graph.name)]


def read(graph, name):
    # Module@Other.symbols.json has what the module adds to types of another one.
    owner = name.removesuffix(".symbols.json").partition("@")[2]
    names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in graph["symbols"]}
    conformances, defaults = {}, set()
    for relationship in graph["relationships"]:
        source, other = relationship["source"], relationship["target"]
        protocol = relationship.get("targetFallback", other)
        if relationship["kind"] == "defaultImplementationOf":
            defaults.add(source)
        elif relationship["kind"] == "conformsTo" and protocol not in IMPLICIT:
            conformances.setdefault(source, set()).add(names.get(other) or protocol.partition(".")[2] or protocol)
    for symbol in graph["symbols"]:
        identifier = symbol["identifier"]["precise"]
        yield Declaration(symbol, owner, conformances.get(identifier), identifier in defaults)

"""Compiles targets for one of Apple's systems, as far as that is possible on Linux: against stubs of the frameworks."""
import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess

import apple_sources
import snippets
from swift_build import ROOT, c_modules, tool, toolchain_library, write_if_changed

STUBS = ROOT / "Support" / "AppleStubs"
BUILD = ROOT / ".build" / "apple"
# Frameworks that only one of the systems has.
ONLY_ON = {"AppKit": "macOS", "UIKit": "iOS"}


def stubs(platform=None):
    """The frameworks that a platform has, or any of them."""
    names = {file.stem for file in STUBS.glob("*.swiftinterface")}
    return {name for name in names if not platform or ONLY_ON.get(name, platform) == platform}


def linux_modules(targets):
    """The modules that can be imported on Linux."""
    folders = [pathlib.Path(toolchain_library("swift/linux")), pathlib.Path(targets[0].modules)]
    names = {file.stem for folder in folders for file in folder.glob("*.swiftmodule")}
    return names | {"Glibc"} | {"CLibXML2", "CSQLite", "CZlib"}


class AppleBuild:
    def __init__(self, platform, targets):
        self.platform, self.targets = platform, targets
        self.folder = BUILD / platform
        self.modules = self.folder / "Modules"
        self.stamp = self.folder / "built"
        self.importable = (linux_modules(targets) - apple_sources.ABSENT) | stubs(platform)

    def c_flags(self):
        """Where the compiler finds the modules of C that a stub may re-export, and their headers."""
        maps = sorted(ROOT.glob("Sources/*/module.modulemap"))
        headers = dict.fromkeys(flag for target in self.targets for flag in target.flags if flag.startswith("-I/usr/"))
        return [*(f"-I{file.parent}" for file in maps), *headers]

    def stub(self, name):
        """A stub as this platform's compiler would read it."""
        return apple_sources.copy_of_stub((STUBS / f"{name}.swiftinterface").read_text(), self.platform, self.importable)

    def build_stubs(self):
        """Compiles the stubs. Returns the compiler's messages."""
        flags = self.targets[0].flags
        common = [flags[flags.index(name) + i] for name in ("-target", "-module-cache-path") for i in (0, 1)]
        self.modules.mkdir(parents=True, exist_ok=True)
        done = set()

        def build(name):
            if name in done:
                return ""
            done.add(name)
            text = self.stub(name)
            problems = "".join(build(other) for other in apple_sources.imports(text) if other in stubs(self.platform))
            copy = self.folder / "Stubs" / f"{name}.swiftinterface"
            write_if_changed(copy, text)
            return problems + self.run(
                tool("swift-frontend"), "-compile-module-from-interface", str(copy), "-o", str(self.modules / f"{name}.swiftmodule"),
                "-module-name", name, "-I", str(self.modules), "-enable-library-evolution", "-swift-version", "6", *common, *self.c_flags())

        return "".join(build(name) for name in sorted(stubs(self.platform)))

    def copies(self, target):
        """Copies of a target's sources, as this platform's compiler would read them."""
        copies = []
        for source in target.sources:
            copy = self.folder / "Copies" / source.relative_to(ROOT)
            write_if_changed(copy, apple_sources.copy(source.read_text(), self.platform, self.importable))
            copies.append(str(copy))
        return copies

    def compile(self, target, sources, *, module=None, outputs=True):
        """The compiler's messages about a target, with all mistakes that it finds before it generates code."""
        name = module or target.name
        # A new file, because swiftc as root replaces its output file, even a device.
        made = ["-emit-sil", "-o", str(self.modules / f"{name}.sil")]
        if outputs:
            # A link to another platform's module is replaced, not followed.
            for suffix in ("swiftmodule", "swiftdoc"):
                (self.modules / f"{name}.{suffix}").unlink(missing_ok=True)
            made += ["-emit-module-path", str(self.modules / f"{name}.swiftmodule")]
        return self.run(
            tool("swiftc"), *target.flags, *c_modules(target), "-warnings-as-errors", "-wmo", *made,
            "-module-name", name, "-I", str(self.modules), "-I", target.modules, *sources)

    def build_articles(self):
        """Compiles the code for these systems in articles. Returns the compiler's messages."""
        problems = ""
        # An article may import any module, so it is compiled with the flags of the target that imports most.
        widest = max(self.targets, key=lambda target: len(target.flags))
        for target in self.targets:
            for page in sorted(ROOT.glob(f"Sources/{target.name}/*.docc/*.md")):
                for _, line, code in snippets.blocks(page):
                    if snippets.is_apple(code):
                        file = self.folder / "Articles" / f"{page.stem}-{line}.swift"
                        write_if_changed(file, snippets.located(page, line, code))
                        problems += self.compile(widest, [str(file)], module="Article", outputs=False)
        return problems + self.build_examples(widest)

    def build_examples(self, flagged):
        """Compiles the sample application, which is not a target, because Linux has no SwiftUI."""
        sources = [str(file) for file in sorted((ROOT / "Examples/AppleApp").glob("*.swift"))]
        return self.compile(flagged, ["-parse-as-library", *sources], module="AppleApp", outputs=False)

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True)
        said = done.stderr + done.stdout
        if done.returncode == 0 and not re.search(r"\b(error|warning):", said):
            return ""
        text = said or f"{command[0]} ended with {done.returncode}\n"
        text = text.replace(f"{self.folder / 'Copies'}/", "")
        return text.replace(f"{self.folder / 'Stubs'}/", "Support/AppleStubs/")


def build(builds):
    """Compiles everything for each platform. Returns the compiler's messages by platform."""
    for one in builds:
        one.stamp.unlink(missing_ok=True)
    first, running = builds[0], {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(AppleBuild.build_stubs, builds))
        shared = shared_targets(builds)
        waiting = {(one, target.name): target for target in first.targets for one in builds if target.is_on(one.platform)}
        while (waiting or running) and not any(problems):
            for (one, name), target in list(waiting.items()):
                other = one is not first and name in shared
                needs = [(first, name)] if other else [(one, need) for need in target.dependencies]
                if not any(need in waiting or need in running for need in needs):
                    del waiting[one, name]
                    if other:
                        link(first, one, name)
                    else:
                        running[one, name] = pool.submit(one.compile, target, one.copies(target))
            ended, _ = concurrent.futures.wait(running.values(), return_when=concurrent.futures.FIRST_COMPLETED)
            for key in [key for key, job in running.items() if job in ended]:
                problems[builds.index(key[0])] += running.pop(key).result()
    if not any(problems):
        for one in builds:
            one.stamp.touch()
    return problems


def shared_targets(builds):
    """The names of the targets that read the same on every platform, down to the stubs that they import."""
    def same(texts):
        texts = list(texts)
        return all(text == texts[0] for text in texts) and all(same_stub(name) for name in apple_sources.imports(texts[0]))

    @functools.cache
    def same_stub(name):
        named = [name in stubs(build.platform) for build in builds]
        return not any(named) or all(named) and same(build.stub(name) for build in builds)

    names = set()
    for target in builds[0].targets:
        ours = {other.name for other in builds[0].targets} & set(target.dependencies)
        if ours <= names and all(
                same(apple_sources.copy(source.read_text(), build.platform, build.importable) for build in builds)
                for source in target.sources):
            names.add(target.name)
    return names


def link(first, other, name):
    """Lets a platform have the module that was compiled for the first, with its comments."""
    for suffix in ("swiftmodule", "swiftdoc"):
        place = other.modules / f"{name}.{suffix}"
        place.unlink(missing_ok=True)
        place.symlink_to(first.modules / place.name)


def ensure(builds):
    """Compiles everything unless that was done after the last change."""
    # Modules that did not change keep their date.
    read = [source for target in builds[0].targets for source in target.sources] + list(STUBS.iterdir())
    newest = max(file.stat().st_mtime for file in read)
    if any(not one.stamp.exists() or one.stamp.stat().st_mtime < newest for one in builds):
        problems = "\n".join(f"{one.platform}:\n{found}" for one, found in zip(builds, build(builds)) if found)
        if problems:
            raise SystemExit(problems)

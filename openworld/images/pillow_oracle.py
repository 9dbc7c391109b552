"""Writes image files and what Pillow makes of them, for the tests of this folder.

usage: pillow_oracle.py OUT

OUT/decode/NAME.EXT     files of every kind, and beside each NAME.EXT.npy, its pixels
OUT/mutated/NAME        the same in small, cut or with a bit turned; NAME.npy if Pillow reads it
OUT/resize/cases.txt    source, width, height, filter, box, result
OUT/transform/cases.txt source, image size, crop and flip (or -), result
"""

import io
import pathlib
import random
import shutil
import struct
import sys
import warnings
import zlib

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageEnhance, ImageOps

MEAN = (0.48145466, 0.4578275, 0.40821073)
STD = (0.26862954, 0.26130258, 0.27577711)
# Of PNG: first column and row and the steps between them, per pass; channels and depths per colour
# type.
ADAM7 = "0088 4088 0448 2044 0224 1022 0112"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


def picture(height, width, channels, rng):
    """Smooth waves with edges and noise: something for every part of a codec."""
    y, x = np.mgrid[0:height, 0:width]
    planes = []
    for c in range(channels):
        waves = 128 + 90 * np.sin(x / (7 + 3 * c) + c) * np.cos(y / (11 - c))
        waves[(x // 16 + y // 16) % 3 == c % 3] -= 60
        planes.append(waves + rng.normal(0, 12, (height, width)))
    return np.clip(np.stack(planes, axis=-1), 0, 255).astype(np.uint8)


def save(image, *args, **kwargs):
    out = io.BytesIO()
    image.save(out, *args, **kwargs)
    return out.getvalue()


def png(samples, colour, depth, interlaced=False, palette=None, transparency=None):
    """A PNG of any kind. samples: [height, width, channels], values below 2^depth."""
    height, width = samples.shape[:2]

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    def rows(part):
        raw = b""
        for row in part:
            values = row.reshape(-1)
            if depth == 16:
                raw += b"\0" + values.astype(">u2").tobytes()
                continue
            bits = "".join(format(v, f"0{depth}b") for v in values)
            bits += "0" * (-len(bits) % 8)
            raw += b"\0" + int(bits, 2).to_bytes(len(bits) // 8, "big")
        return raw

    if interlaced:
        steps = [map(int, digits) for digits in ADAM7.split()]
        passes = [samples[y::down, x::across] for x, y, across, down in steps]
        data = b"".join(rows(part) for part in passes if part.size)
    else:
        data = rows(samples)
    result = b"\x89PNG\r\n\x1a\n"
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    result += chunk(b"IHDR", header)
    result += chunk(b"gAMA", struct.pack(">I", 45455))
    if palette is not None:
        result += chunk(b"PLTE", palette)
    if transparency is not None:
        result += chunk(b"tRNS", bytes(transparency))
    return result + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def png_files(height, width, rng):
    for colour, depths in DEPTHS.items():
        for depth in depths:
            samples = rng.integers(0, 1 << depth, (height, width, CHANNELS[colour]))
            if colour == 0 and depth == 16:
                samples[: height // 2] = samples[: height // 2] % 300  # around where Pillow cuts
            palette = rng.bytes(3 << depth) if colour == 3 else None
            for interlaced in (False, True):
                name = f"colour{colour}_{depth}bit{'_adam7' * interlaced}.png"
                yield name, png(samples, colour, depth, interlaced, palette)
    samples = rng.integers(0, 16, (height, width, 1))
    palette = rng.bytes(48)
    yield "palette_trns.png", png(samples, 3, 8, palette=palette, transparency=range(16))
    yield "palette_short.png", png(samples, 3, 8, palette=palette[:30])
    yield "grey_trns.png", png(samples, 0, 4, transparency=(0, 3))
    rgb = rng.integers(0, 256, (height, width, 3))
    yield "rgb_trns.png", png(rgb, 2, 8, transparency=(0, 1, 0, 2, 0, 3))
    frames = [Image.fromarray(picture(height, width, 3, rng)) for _ in range(2)]
    yield "animated.png", save(frames[0], "PNG", save_all=True, append_images=frames[1:])
    yield "photo.png", save(frames[0], "PNG")


def jpeg_files(height, width, rng):
    rgb = Image.fromarray(picture(height, width, 3, rng))
    grey = Image.fromarray(picture(height, width, 1, rng)[..., 0])
    cmyk = Image.fromarray(picture(height, width, 4, rng), "CMYK")
    for progressive in (False, True):
        kind = "_progressive" * progressive
        for subsampling, name in enumerate(("444", "422", "420")):
            options = dict(subsampling=subsampling, quality=60 + 15 * subsampling)
            yield f"{name}{kind}.jpg", save(rgb, "JPEG", progressive=progressive, **options)
        yield f"grey{kind}.jpg", save(grey, "JPEG", progressive=progressive)
        data = save(cmyk, "JPEG", progressive=progressive, quality=90)
        yield f"cmyk{kind}.jpg", data
        at = data.index(b"Adobe")
        assert data[at + 11] == 0  # the transform: none
        yield f"ycck{kind}.jpg", data[: at + 11] + b"\2" + data[at + 12 :]
        yield f"cmyk_bare{kind}.jpg", data[: at - 4] + data[at + 12 :]
    data = save(rgb, "JPEG", quality=95)
    assert data[2:4] == b"\xff\xe0"
    end_of_jfif = 4 + struct.unpack(">H", data[4:6])[0]
    adobe = b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0"
    yield "rgb_adobe.jpg", data[:2] + adobe + b"\0" + data[end_of_jfif:]
    exif = Image.Exif()
    exif[0x112] = 6  # turned by 90 degrees, which is not undone
    yield "orientation.jpg", save(rgb, "JPEG", exif=exif)


def webp_files(height, width, rng):
    rgb = Image.fromarray(picture(height, width, 3, rng))
    rgba = Image.fromarray(picture(height, width, 4, rng), "RGBA")
    other = Image.fromarray(picture(height, width, 4, rng), "RGBA")
    yield "lossy.webp", save(rgb, "WEBP", quality=70)
    yield "lossless.webp", save(rgb, "WEBP", lossless=True)
    yield "lossy_alpha.webp", save(rgba, "WEBP", quality=70)
    yield "lossless_alpha.webp", save(rgba, "WEBP", lossless=True, exact=True)
    yield "animated.webp", save(rgba, "WEBP", save_all=True, append_images=[other], lossless=True)


FAMILIES = (jpeg_files, png_files, webp_files)


def decode(data):
    """The pixels, or None where Pillow refuses the file."""
    try:
        with Image.open(io.BytesIO(data), formats=("JPEG", "PNG", "WEBP")) as image:
            return np.asarray(image.convert("RGB"))
    except Exception:  # Pillow raises OSError, SyntaxError, ValueError, struct.error, ...
        return None


def write_decode(out, rng):
    for height, width in ((1, 1), (1, 9), (9, 1), (5, 3), (37, 61), (301, 223), (480, 640)):
        for family in FAMILIES:
            if height > 301 and family is png_files:
                continue  # the writer above is slow, and libpng does not care
            for name, data in family(height, width, rng):
                path = out / f"{width}x{height}_{name}"
                path.write_bytes(data)
                pixels = decode(data)
                assert pixels is not None, path
                np.save(f"{path}.npy", pixels)


def write_mutated(out, rng):
    draw = random.Random(5)
    for family in FAMILIES:
        for name, data in family(13, 18, rng):
            lengths = {len(data) * k // 9 for k in range(9)} | {len(data) - 2, len(data) - 1}
            variants = {f"cut{n}": data[:n] for n in lengths}
            for i in range(16):
                at = draw.randrange(len(data))
                changed = bytearray(data)
                changed[at] ^= 1 << draw.randrange(8)
                variants[f"flip{i}at{at}"] = bytes(changed)
            for kind, variant in variants.items():
                (out / f"{name}_{kind}").write_bytes(variant)
                pixels = decode(variant)
                if pixels is not None:
                    np.save(out / f"{name}_{kind}.npy", pixels)


def write_resize(out, rng):
    filters = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}
    shapes = [(1, 1), (1, 40), (40, 1), (5, 3), (17, 16), (33, 100), (301, 223), (480, 640)]
    results = [(1, 1), (3, 5), (16, 16), (223, 301), (224, 298), (7, 640), (480, 5)]
    lines = []
    for height, width in shapes:
        noise = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
        noise[: height // 2] = np.where(noise[: height // 2] < 128, 0, 255)  # sums leave 0 .. 255
        source = f"{width}x{height}.npy"
        np.save(out / source, noise)
        image = Image.fromarray(noise)
        boxes = [(0, 0, width, height)]
        if min(height, width) > 2:
            boxes += [(0.25, 0.5, width - 1.3, height - 0.1), (1, 1, width - 1, height - 1)]
        for result_height, result_width in results + [(height, width), (height, 9), (9, width)]:
            for name, filter in filters.items():
                for box in boxes:
                    resized = image.resize((result_width, result_height), filter, box=box)
                    result = f"result{len(lines)}.npy"
                    np.save(out / result, np.asarray(resized))
                    numbers = " ".join(map(repr, box))
                    size = f"{result_width} {result_height}"
                    lines.append(f"{source} {size} {name} {numbers} {result}")
    (out / "cases.txt").write_text("\n".join(lines) + "\n")


def to_tensor(image):
    """Torchvision's ToTensor and Normalize."""
    tensor = torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous()
    tensor = tensor.to(torch.float32).div(255)
    mean = torch.as_tensor(MEAN, dtype=torch.float32).view(-1, 1, 1)
    std = torch.as_tensor(STD, dtype=torch.float32).view(-1, 1, 1)
    return tensor.sub_(mean).div_(std).numpy()


def clip_transform(image, size):
    width, height = image.size
    if min(width, height) != size:
        if width < height:
            image = image.resize((size, int(size * height / width)), Image.Resampling.BICUBIC)
        else:
            image = image.resize((int(size * width / height), size), Image.Resampling.BICUBIC)
    width, height = image.size
    top, left = int(round((height - size) / 2.0)), int(round((width - size) / 2.0))
    return to_tensor(image.crop((left, top, left + size, top + size)))


def write_transform(out, rng):
    lines = []

    def add(source, size, what, tensor):
        result = f"result{len(lines)}.npy"
        np.save(out / result, tensor)
        lines.append(f"{source} {size} {what} {result}")

    shapes = [(1, 1), (1, 400), (400, 1), (5, 3), (31, 32), (32, 35), (37, 32)]
    shapes += [(301, 223), (480, 640)]
    for height, width in shapes:
        source = f"{width}x{height}.npy"
        pixels = picture(height, width, 3, rng)
        np.save(out / source, pixels)
        image = Image.fromarray(pixels)
        for size in (1, 16, 31, 32) + (224,) * (height > 300):
            add(source, size, "-", clip_transform(image, size))
        for flip in (0, 1):
            left, top = width // 3, height // 4
            crop = (left, top, max(1, width // 2), max(1, height // 2))
            part = image.crop((left, top, left + crop[2], top + crop[3]))
            part = part.resize((32, 32), Image.Resampling.BICUBIC)
            if flip:
                part = part.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
            add(source, 32, " ".join(map(str, crop + (flip,))), to_tensor(part))
    (out / "cases.txt").write_text("\n".join(lines) + "\n")


# The operations of RandAugment, each with the range of its strength; written from the paper's list and
# Pillow's documentation. Those with a direction come with both signs.
def operations(strength):
    affine = lambda *numbers: lambda image: image.transform(image.size, Image.Transform.AFFINE, numbers)
    enhance = lambda kind, factor: lambda image: kind(image).enhance(factor)
    solarize_add = lambda add: lambda image: ImageOps.solarize(
        Image.fromarray(np.clip(np.asarray(image).astype(int) + add, 0, 255).astype(np.uint8)), 128)
    signs = (1, -1)
    value = lambda low, high: strength / 30 * (high - low) + low
    factor = value(0.1, 1.9)
    shear, shift, turn = value(0, 0.3), value(0, 100), value(0, 30)
    return {
        "AutoContrast": [ImageOps.autocontrast],
        "Equalize": [ImageOps.equalize],
        "Invert": [ImageOps.invert],
        "Rotate": [lambda image, s=s: image.rotate(s * turn) for s in signs],
        "Posterize": [lambda image: ImageOps.posterize(image, max(1, int(value(0, 4))))],
        "Solarize": [lambda image: ImageOps.solarize(image, value(0, 256))],
        "SolarizeAdd": [solarize_add(value(0, 110))],
        "Color": [enhance(ImageEnhance.Color, factor)],
        "Contrast": [enhance(ImageEnhance.Contrast, factor)],
        "Brightness": [enhance(ImageEnhance.Brightness, factor)],
        "Sharpness": [enhance(ImageEnhance.Sharpness, factor)],
        "ShearX": [affine(1, s * shear, 0, 0, 1, 0) for s in signs],
        "ShearY": [affine(1, 0, 0, s * shear, 1, 0) for s in signs],
        "TranslateXabs": [affine(1, 0, s * shift, 0, 1, 0) for s in signs],
        "TranslateYabs": [affine(1, 0, 0, 0, 1, s * shift) for s in signs],
    }


def write_operations(out, rng):
    lines = []
    shapes = [(1, 1), (5, 3), (28, 28), (32, 32), (61, 40), (40, 90)]
    for k, (height, width) in enumerate(shapes):
        pixels = picture(height, width, 3, rng)
        if k % 2:
            pixels = pixels // 3 + 40  # for autocontrast
        source = f"{width}x{height}.npy"
        np.save(out / source, pixels)
        image = Image.fromarray(pixels)
        for strength in (0, 1, 6, 8, 9.5, 15, 18, 30):
            for name, functions in operations(strength).items():
                results = []
                for function in functions:
                    results.append(f"result{len(lines)}_{len(results)}.npy")
                    np.save(out / results[-1], np.asarray(function(image)))
                lines.append(f"{source} {name} {strength} {' '.join(results)}")
    (out / "cases.txt").write_text("\n".join(lines) + "\n")
    lines = []
    for box in ((0, 0, 0, 0), (3, 4, 11, 12), (3, 4, 10.67, 11.67), (20, 25, 32, 32), (0, 30, 6.6, 32)):
        image = Image.fromarray(np.load(out / "32x32.npy"))
        ImageDraw.Draw(image).rectangle(box, (125, 123, 114))
        result = f"rectangle{len(lines)}.npy"
        np.save(out / result, np.asarray(image))
        lines.append(f"{' '.join(map(str, box))} {result}")
    (out / "rectangles.txt").write_text("\n".join(lines) + "\n")


def write_square(out, rng):
    """Torchvision's Resize((n, n)), and every RandomCrop(n, padding=2) and flip of one image."""
    lines = []
    for height, width in ((1, 1), (28, 28), (32, 32), (301, 223)):
        source = f"{width}x{height}.npy"
        np.save(out / source, picture(height, width, 3, rng))
        image = Image.fromarray(np.load(out / source))
        for size in (1, 28, 32):
            result = f"result{len(lines)}.npy"
            np.save(out / result, to_tensor(image.resize((size, size), Image.Resampling.BILINEAR)))
            lines.append(f"{source} {size} {result}")
    (out / "cases.txt").write_text("\n".join(lines) + "\n")
    image = Image.fromarray(np.load(out / "28x28.npy")).resize((32, 32), Image.Resampling.BILINEAR)
    padded = ImageOps.expand(image, border=2, fill=0)
    crops = []
    for top in range(5):
        for left in range(5):
            for flip in (False, True):
                crop = padded.crop((left, top, left + 32, top + 32))
                crops.append(to_tensor(ImageOps.mirror(crop) if flip else crop))
    np.save(out / "crops.npy", np.stack(crops))


def main():
    warnings.simplefilter("ignore")
    out = pathlib.Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    for write in (write_decode, write_mutated, write_resize, write_transform, write_operations,
                  write_square):
        folder = out / write.__name__.removeprefix("write_")
        folder.mkdir(parents=True)
        write(folder, np.random.default_rng(1))


if __name__ == "__main__":
    main()

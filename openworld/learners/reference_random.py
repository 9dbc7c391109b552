"""The random numbers of openworld/base/random.h, written a second time: xoshiro256++ seeded by
SplitMix64, for learners that leave something to chance."""

MASK = 2**64 - 1


def mix64(x):
    x = (x + 0x9e3779b97f4a7c15) & MASK
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & MASK
    return x ^ (x >> 31)


def rotated(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & MASK


class Random:
    def __init__(self, seed, stream=0):
        name, self.state = mix64(mix64(seed) ^ stream), []
        for _ in range(4):
            name = mix64(name)
            self.state.append(name)

    def next(self):
        s = self.state
        result = (rotated((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        shifted = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 45)
        return result

    def below(self, n):
        while True:
            product = self.next() * n
            if product & MASK >= (2**64) % n:
                return product >> 64

    def shuffled(self, n):
        items = list(range(n))
        for i in range(n, 1, -1):
            j = self.below(i)
            items[i - 1], items[j] = items[j], items[i - 1]
        return items

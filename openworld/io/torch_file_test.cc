#include "openworld/io/torch_file.h"

#include "openworld/io/mapped_file.h"
#include "openworld/io/pickle.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using namespace std::string_literals;
using testing::stored;

TorchFile load(const std::string& name) {
  const Origin origin{"f", testing::testdata("torch/" + name)};
  return parse_torch_file(map_file(origin), origin);
}

std::vector<float> floats(const TorchFile& file, const std::string& name) {
  for (const StoredTensor& tensor : file.tensors) {
    if (tensor.name != name) continue;
    std::vector<float> values(static_cast<std::size_t>(tensor.size()));
    read_floats(tensor, values);
    return values;
  }
  ADD_FAILURE() << "no tensor " << name;
  return {};
}

std::vector<std::string> names(const TorchFile& file) {
  std::vector<std::string> result;
  for (const StoredTensor& tensor : file.tensors) result.push_back(tensor.name);
  return result;
}

using Floats = std::vector<float>;

TEST(TorchFile, ReadsModulesOfTorchScriptByTheirPath) {
  const TorchFile file = load("script.pt");
  EXPECT_TRUE(file.script);
  EXPECT_EQ(names(file), (std::vector<std::string>{"scale", "blocks.0.weight", "blocks.0.steps",
                                                   "blocks.1.weight", "blocks.1.steps"}));
  EXPECT_EQ(floats(file, "scale"), Floats{2.5f});
  EXPECT_EQ(floats(file, "blocks.1.weight"), (Floats{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(file.tensors[1].type, TensorType::kF16);
  EXPECT_EQ(file.tensors[2].type, TensorType::kI64);
}

TEST(TorchFile, ReadsEveryLayoutOfAStateDict) {
  for (const std::string name : {"state_dict.pt", "protocol4.pt"}) {
    const TorchFile file = load(name);
    EXPECT_FALSE(file.script);
    EXPECT_EQ(file.tensors.size(), 12u);
    EXPECT_EQ(floats(file, "f32"), (Floats{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(floats(file, "f16"), (Floats{0, 1, 2, 3}));
    EXPECT_EQ(floats(file, "bf16"), (Floats{0, 1, 2, 3}));
    EXPECT_EQ(floats(file, "f64"), (Floats{0, 1, 2, 3}));
    EXPECT_EQ(floats(file, "transposed"), (Floats{0, 3, 1, 4, 2, 5}));
    EXPECT_EQ(floats(file, "middle"), (Floats{3, 4, 5, 6}));
    EXPECT_EQ(floats(file, "every_third"), (Floats{1, 4, 7, 10}));
    EXPECT_EQ(floats(file, "expanded"), (Floats{0, 0, 0, 1, 1, 1}));
    EXPECT_EQ(floats(file, "parameter"), (Floats{0, 1}));
    EXPECT_EQ(floats(file, "scalar"), Floats{-1.5f});
    EXPECT_EQ(floats(file, "empty"), Floats{});
  }
}

TEST(TorchFile, LooksIntoWrappers) {
  EXPECT_EQ(names(load("state_dict_inside.pt")), std::vector<std::string>{"a.b"});
  EXPECT_EQ(names(load("model_inside.pt")), std::vector<std::string>{"a.b"});
  EXPECT_EQ(names(load("with_metadata.pt")), (std::vector<std::string>{"weight", "bias"}));
}

TEST(TorchFile, NamesTheLegacyFormat) {
  EXPECT_ERROR(load("legacy.pt"), "is in the legacy format of torch.save; convert it in Python");
}

// Pieces of pickles.
std::string text(const std::string& s) {
  return "X" + testing::raw<std::uint32_t>({static_cast<std::uint32_t>(s.size())}) + s;
}
std::string whole(std::int32_t n) {
  return "J" + testing::raw<std::int32_t>({n});
}
std::string big(std::int64_t n) {
  return "\x8a\x08" + testing::raw<std::int64_t>({n});
}
std::string storage(const std::string& type, const std::string& key, const std::string& count) {
  return "(" + text("storage") + "ctorch\n" + type + "\n" + text(key) + text("cpu") + count + "tQ";
}
std::string tensor(const std::string& stored_in, const std::string& offset,
                   const std::string& shape, const std::string& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + stored_in + offset + "(" + shape + "t(" +
         strides + "t\x89" + "}tR";
}
std::string dict_of(const std::string& value) {
  return "\x80\x02}" + text("x") + value + "s.";
}

Bytes archive(const std::string& pickle, const std::string& data = std::string(24, '\0')) {
  return make_bytes(testing::zip_of({stored("any/data.pkl", pickle), stored("any/data/0", data)}));
}

std::string refusal(const Bytes& bytes) {
  return testing::error_of([&] { parse_torch_file(bytes, {"f", "x"}); });
}

TEST(TorchFile, RefusesTensorsThatLeaveTheirStorage) {
  const auto read = [](const std::string& offset, const std::string& shape,
                       const std::string& strides) {
    const auto place = storage("FloatStorage", "0", whole(6));
    return refusal(archive(dict_of(tensor(place, offset, shape, strides))));
  };
  const std::string max = big(std::numeric_limits<std::int64_t>::max());
  const std::string outside = "does not fit its storage of 6 items";
  EXPECT_EQ(read(whole(0), whole(2) + whole(3), whole(3) + whole(1)), "no Error");
  EXPECT_EQ(read(whole(4), whole(2), whole(1)), "no Error");
  EXPECT_EQ(read(whole(5), whole(1) + whole(1), max + max), "no Error");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {read(whole(5), whole(2), whole(1)), outside},
      {read(whole(-1), whole(2), whole(1)), outside},
      {read(max, whole(2), whole(1)), outside},
      {read(whole(7), whole(0), whole(1)), outside},
      {read(whole(0), whole(2), whole(6)), outside},
      {read(whole(0), whole(3), max), outside},
      {read(whole(0), whole(2) + whole(2), max + max), outside},
      {read(whole(0), max + max, whole(0) + whole(0)), "more than can be addressed"},
      {read(whole(0), whole(-2), whole(1)), "shape or strides that are not a tuple"},
      {read(whole(0), whole(2), whole(-1)), "shape or strides that are not a tuple"},
      {read(whole(0), whole(2), whole(1) + whole(1)), "has shape [2] and 2 strides"},
  };
  for (const auto& [got, expected] : cases) {
    EXPECT_NE(got.find("tensor \"x\" "), std::string::npos) << got;
    EXPECT_NE(got.find(expected), std::string::npos) << got << "\nexpected " << expected;
  }
}

TEST(TorchFile, RefusesStoragesThatAreNotThere) {
  const auto read = [](const std::string& place) {
    return refusal(archive(dict_of(tensor(place, whole(0), whole(1), whole(1)))));
  };
  EXPECT_NE(read(storage("FloatStorage", "1", whole(6))).find("which is not in the archive"),
            std::string::npos);
  EXPECT_NE(read(storage("FloatStorage", "0", whole(7)))
                .find("has 24 bytes in \"data/0\", stored; "
                      "expected 7 items of F32"),
            std::string::npos);
  EXPECT_NE(read(storage("FloatStorage", "0", whole(-6))).find("malformed storage"),
            std::string::npos);
  EXPECT_NE(read(storage("FloatStorage", "0", big(std::int64_t{1} << 62))).find("has 24 bytes"),
            std::string::npos);
  EXPECT_NE(read("NQ").find("malformed storage"), std::string::npos);
  const std::string good =
      dict_of(tensor(storage("FloatStorage", "0", whole(6)), whole(0), whole(1), whole(1)));
  const auto member = testing::deflated("any/data/0", std::string(24, '\0'));
  EXPECT_ERROR(parse_torch_file(make_bytes(testing::zip_of({stored("any/data.pkl", good), member})),
                                {"f", "x"}),
               "compressed; expected 6 items of F32, stored");
  auto damaged = stored("any/data/0", std::string(24, '\0'));
  damaged.crc ^= 1;
  EXPECT_ERROR(
      parse_torch_file(make_bytes(testing::zip_of({stored("any/data.pkl", good), damaged})),
                       {"f", "x"}),
      "the file is damaged");
}

TEST(TorchFile, RefusesOtherArchives) {
  EXPECT_ERROR(parse_torch_file(make_bytes(testing::zip_of({stored("a.txt", "")})), {"f", "x"}),
               "is a zip archive but not a PyTorch file");
  const auto big_endian = {stored("a/byteorder", "big"), stored("a/data.pkl", dict_of("N"))};
  EXPECT_ERROR(parse_torch_file(make_bytes(testing::zip_of(big_endian)), {"f", "x"}),
               "has byte order \"big\"; expected little");
  EXPECT_ERROR(parse_torch_file(archive("\x80\x02N."), {"f", "x"}), "neither a module nor tensors");
}

TEST(TorchFile, RefusesEndRecordsThatDisagree) {
  std::string bytes = testing::read_file(testing::testdata("torch/state_dict.pt"));
  const std::size_t end64 = bytes.rfind("PK\6\6");
  ASSERT_NE(end64, std::string::npos);
  bytes[end64 + 48] ^= 1;  // the offset of the directory
  EXPECT_ERROR(parse_torch_file(make_bytes(bytes), {"f", "x"}), "contradicts the plain one");
}

TEST(TorchFile, RefusesModulesWithoutEnd) {
  // A module that is an attribute of itself.
  const std::string self =
      "\x80\x02"
      "c__torch__\nM\n)\x81q\1}" +
      text("m") + "h\1sb.";
  EXPECT_ERROR(parse_torch_file(archive(self), {"f", "x"}), "modules nested deeper than 64");
  // Each has the one before it twice: 2^40 paths.
  const std::string module = "c__torch__\nM\n)\x81";
  std::string doubling = "\x80\x02" + module + "}" + text("0") + module + "q\1s";
  for (int i = 1; i <= 40; ++i) {
    doubling +=
        text(std::to_string(i)) + module + "}" + text("a") + "h\1s" + text("b") + "h\1sbq\1s";
  }
  EXPECT_ERROR(parse_torch_file(archive(doubling + "b."), {"f", "x"}),
               "more than 200000 attributes");
}

TEST(Pickle, RefusesEverythingThatCouldRun) {
  const auto parse = [](const std::string& pickle) {
    parse_pickle(std::as_bytes(std::span(pickle)), {"f", "x"});
  };
  EXPECT_ERROR(parse("\x80\x02"
                     "cos\nsystem\n" +
                     text("true") + "\x85R."),
               "[f] x: refuses global os.system; only tensors and plain containers are read");
  EXPECT_ERROR(parse("\x80\x04" + text("builtins") + text("eval") + "\x93."),
               "refuses global builtins.eval;");
  EXPECT_ERROR(parse("\x80\x02"
                     "ctorch\nload\n."),
               "refuses global torch.load;");
  EXPECT_ERROR(parse("\x80\x02"
                     "ctorch._utils\n_rebuild\n."),
               "refuses global torch._utils._reb");
  EXPECT_ERROR(parse("\x80\x02"
                     "c__torch__x\nM\n."),
               "refuses global __torch__x.M;");
  EXPECT_ERROR(parse("\x80\x02"
                     "cos\n\x1b[31m\n."),
               "refuses global os.\\x1b[31m;");
  EXPECT_ERROR(parse("\x80\x02"
                     "(ios\nsystem\n."),
               "refuses pickle opcode 0x69;");
  EXPECT_ERROR(parse("\x80\x02"
                     "ctorch\nFloatStorage\n)R."),
               "a call of \"FloatStorage\"");
  EXPECT_ERROR(parse("\x80\x02"
                     "ccollections\nOrderedDict\n)\x81."),
               "something other than a module");
}

TEST(Pickle, RefusesMalformedPrograms) {
  const auto parse = [](const std::string& pickle) {
    parse_pickle(std::as_bytes(std::span(pickle)), {"f", "x"});
  };
  EXPECT_ERROR(parse(""), "expected protocol 2 to 5");
  EXPECT_ERROR(parse("(lp0\n."), "expected protocol 2 to 5");
  EXPECT_ERROR(parse("\x80\x02N"), "it ends too early at byte 3");
  EXPECT_ERROR(parse("\x80\x02X\xff\xff\xff\xff"
                     "abc"),
               "it ends too early");
  EXPECT_ERROR(parse("\x80\x02."), "more or less than one value is left");
  EXPECT_ERROR(parse("\x80\x02NN."), "more or less than one value is left");
  EXPECT_ERROR(parse("\x80\x02N(."), "more or less than one value is left");
  EXPECT_ERROR(parse("\x80\x02N(\x85."), "nothing on the stack");
  EXPECT_ERROR(parse("\x80\x02Nt."), "no mark on the stack");
  EXPECT_ERROR(parse("\x80\x02h\5."), "memo 5 was never put");
  EXPECT_ERROR(parse("\x80\x02NNa."), "expected a list");
  EXPECT_ERROR(parse("\x80\x02}(Nu."), "a key without value");
  EXPECT_ERROR(parse("\x80\x02NNb."), "a state without an object");
  EXPECT_ERROR(parse(std::string(kMaxPickle + 1, 'N')), "has a pickle of 1048577 bytes");
}

TEST(Pickle, LimitsTheNumberOfValues) {
  const auto parse = [](std::size_t values) {
    std::string pickle = "\x80\x02(";
    pickle.append(values - 1, 'N').append("t.");
    return parse_pickle(std::as_bytes(std::span(pickle)), {"f", "x"}).values.size();
  };
  EXPECT_EQ(parse(kMaxPickleValues), kMaxPickleValues);
  EXPECT_ERROR(parse(kMaxPickleValues + 1), "has a pickle of more than 262144 values");
}

TEST(Pickle, KeepsNumbers) {
  const std::string bytes = "\x80\x02(K\xffM\xff\xffJ\xff\xff\xff\xff\x8a\x02\x00\x80"s +
                            "\x8a\x00\x8a\x09"
                            "123456789G\xbf\xf8\0\0\0\0\0\0\x88t."s;
  const Pickle pickle = parse_pickle(std::as_bytes(std::span(bytes)), {"f", "x"});
  const auto& items = pickle[pickle.root].items;
  const std::vector<std::int64_t> expected = {255, 65535, -1, -32768, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(pickle[items[i]].integer, expected[i]) << i;
  }
  EXPECT_EQ(pickle[items[5]].kind, PickleValue::Kind::kBig);
  EXPECT_EQ(pickle[items[6]].real, -1.5);
  EXPECT_EQ(pickle[items[7]].kind, PickleValue::Kind::kBool);
}

}  // namespace
}  // namespace openworld

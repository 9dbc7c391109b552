#include "openworld/io/safetensors.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

// A file with any header and any data.
Bytes file_of(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  return make_bytes(std::string(reinterpret_cast<const char*>(&length), 8) + header + data);
}

std::string refusal(const std::string& header, const std::string& data) {
  return testing::error_of([&] { parse_safetensors(file_of(header, data), {"f", "x"}); });
}

std::vector<float> floats(const StoredTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.size()));
  read_floats(tensor, values);
  return values;
}

TEST(Safetensors, ReadsEveryFloatTypeAtAnyAlignment) {
  // A byte in front puts all others at odd places.
  const std::string header = R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[1,9]},)"
                             R"("a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]},)"
                             R"("c":{"dtype":"F16","shape":[1,2],"data_offsets":[9,13]},)"
                             R"("d":{"dtype":"BF16","shape":[],"data_offsets":[13,15]},)"
                             R"("e":{"dtype":"F64","shape":[1],"data_offsets":[15,23]},)"
                             R"("none":{"dtype":"F32","shape":[0,7],"data_offsets":[9,9]},)"
                             R"("__metadata__":{"format":"pt"}}  )";
  const std::string data = std::string(1, '\1') + testing::raw<float>({1.5f, -2}) +
                           testing::raw<std::uint16_t>({0x3c00, 0xc000, 0x4049}) +
                           testing::raw<double>({0.1});
  const Safetensors file = parse_safetensors(file_of(header, data), {"f", "x"});
  ASSERT_EQ(file.tensors.size(), 6u);
  EXPECT_EQ(file.tensors[0].name, "a");
  EXPECT_EQ(file.tensors[0].type, TensorType::kBool);
  EXPECT_EQ(floats(file.tensors[1]), (std::vector<float>{1.5f, -2}));
  EXPECT_EQ(file.tensors[2].shape, (std::vector<std::int64_t>{0, 7}));
  EXPECT_EQ(floats(file.tensors[2]), std::vector<float>{});
  EXPECT_EQ(floats(file.tensors[3]), (std::vector<float>{1, -2}));
  EXPECT_EQ(floats(file.tensors[4]), std::vector<float>{3.140625f});
  EXPECT_EQ(floats(file.tensors[5]), std::vector<float>{0.1f});
  EXPECT_EQ(file.metadata.at("format"), "pt");
}

TEST(Safetensors, WritesWhatItReads) {
  const TempFolder folder;
  const std::string path = folder / "w.safetensors";
  const std::vector<TensorToWrite> tensors = {{"x.weight", TensorType::kF32, {2, 2}},
                                              {"half", TensorType::kF16, {3}},
                                              {"scalar", TensorType::kF16, {}}};
  const std::vector<std::string> data = {testing::raw<float>({1, 2, 3, 4}),
                                         testing::raw<std::uint16_t>({0x3c00, 0, 0x4000}),
                                         testing::raw<std::uint16_t>({0xbc00})};
  const auto write = [&] {
    write_safetensors(path, tensors,
                      [&](std::size_t i) { return std::as_bytes(std::span(data[i])); });
    return testing::read_file(path);
  };
  const std::string bytes = write();
  EXPECT_EQ(write(), bytes);
  std::uint64_t length;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(bytes.substr(8, 60), R"({"__metadata__":{"format":"pt"},"x.weight":{"dtype":"F32","s)");
  const Safetensors file = parse_safetensors(map_file({"f", path}), {"f", path});
  ASSERT_EQ(file.tensors.size(), 3u);
  EXPECT_EQ(floats(file.tensors[0]), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(floats(transposed(file.tensors[0])), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(floats(file.tensors[1]), (std::vector<float>{1, 0, 2}));
  EXPECT_EQ(floats(file.tensors[2]), std::vector<float>{-1});
}

TEST(Safetensors, AFailedWriteLeavesNothing) {
  const TempFolder folder;
  const auto fail = [](std::size_t) -> std::span<const std::byte> {
    openworld::fail("test", "no data");
  };
  EXPECT_ERROR(write_safetensors(folder / "w", {{"x", TensorType::kF32, {1}}}, fail), "no data");
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
}

TEST(Safetensors, RefusesWhatIsNotSafetensors) {
  EXPECT_ERROR(parse_safetensors(make_bytes("short"), {"f", "x"}), "it has 5 bytes");
  EXPECT_ERROR(parse_safetensors(make_bytes("plain text, and long"), {"f", "x"}),
               "is not in safetensors format: it starts with \"plain te\"");
  EXPECT_NE(refusal("[]", "").find("expected a JSON object"), std::string::npos);
  EXPECT_NE(refusal("", "").find("expected a JSON object"), std::string::npos);
  EXPECT_NE(refusal("{\"a\":", "").find("is not valid JSON: error at byte"), std::string::npos);
  const Bytes whole =
      file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "12345678");
  const auto cut = [&](std::size_t size) {
    return testing::error_of([&] {
      parse_safetensors({whole.values.first(size), whole.owner}, {"f", "x"});
    });
  };
  EXPECT_EQ(cut(whole.size()), "no Error");
  for (std::size_t size = 8; size < whole.size(); ++size) {
    EXPECT_NE(cut(size).find("is the file whole?"), std::string::npos) << size << cut(size);
  }
}

TEST(Safetensors, RefusesWhatDoesNotAddUp) {
  const auto entry = [](const std::string& name, const std::string& dtype, const std::string& shape,
                        const std::string& offsets) {
    return "\"" + name + R"(":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" +
           offsets + "}";
  };
  const auto one = [&](const std::string& dtype, const std::string& shape,
                       const std::string& offsets) {
    return refusal("{" + entry("a", dtype, shape, offsets) + "}", "12345678");
  };
  ASSERT_EQ(one("\"F32\"", "[2]", "[0,8]"), "no Error");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {one("\"F8\"", "[2]", "[0,8]"), "tensor \"a\" has dtype \"F8\", which is not supported"},
      {one("7", "[2]", "[0,8]"), "that is not a string"},
      {one("\"F32\"", "[3]", "[0,8]"), "has data_offsets [0, 8]; expected 12 bytes"},
      {one("\"F32\"", "[2]", "[8,0]"), "has data_offsets [8, 0]; expected 8 bytes"},
      {one("\"F32\"", "[2]", "[0]"), "has data_offsets [0]"},
      {one("\"F32\"", "[2]", "[8,16]"), "ends at byte 16 of the data, of which there are 8"},
      {one("\"F32\"", "[-2]", "[0,8]"), "has a shape that is not a list"},
      {one("\"F32\"", "[2.0]", "[0,8]"), "has a shape that is not a list"},
      {one("\"F32\"", "2", "[0,8]"), "has a shape that is not a list"},
      {one("\"F32\"", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]", "[0,8]"), "has a shape that is no"},
      {one("\"F32\"", "[4294967296,4294967296]", "[0,0]"), "more than can be addressed"},
      {one("\"F32\"", "[0,4611686018427387904]", "[0,0]"), "has a shape that is no"},
      {one("\"F32\"", "[1]", "[0,4]"), "has 8 bytes of data; expected 4"},
      {one("\"F32\"", "[1]", "[4,8]"), "starts at byte 4 of the data; expected 0"},
      {refusal("{" + entry("a", "\"F32\"", "[2]", "[0,8]") + "," +
                   entry("b", "\"F32\"", "[1]", "[4,8]") + "}",
               "12345678"),
       "tensor \"b\" starts at byte 4 of the data; expected 8"},
      {refusal("{" + entry("a", "\"F32\"", "[2]", "[0,8]") + "," +
                   entry("a", "\"F32\"", "[2]", "[0,8]") + "}",
               "12345678"),
       "has the key \"a\" twice"},
      {refusal(R"({"a":{"dtype":"F32","shape":[2]}})", "12345678"), "has a malformed entry"},
      {refusal(R"({"a":[[[[]]]]})", ""), "nested deeper than 4"},
      {refusal(R"({"__metadata__":{"a":1}})", ""), "__metadata__ \"a\" that is not a string"},
  };
  for (const auto& [got, expected] : cases) {
    EXPECT_NE(got.find(expected), std::string::npos) << got << "\nexpected " << expected;
  }
}

}  // namespace
}  // namespace openworld

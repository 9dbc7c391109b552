#include "openworld/tuning/text_lengths.h"

#include "openworld/base/error.h"

namespace openworld {

void check_text_lengths(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                        std::int64_t context,
                        const std::function<void(std::size_t, std::string_view)>& refuse) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    try {
      tokenizer.pack(texts[i], static_cast<std::size_t>(context));
    } catch (const Error& e) {
      refuse(i, e.message());
    }
  }
}

}  // namespace openworld

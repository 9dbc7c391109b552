#include <iostream>

int main() {
  std::cout << "empty\n";
}

// What the headers that tests share are compiled for (loopscope_test, cmake/targets.cmake).
int main() {}

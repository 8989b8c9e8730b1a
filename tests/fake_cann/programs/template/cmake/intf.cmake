target_compile_options(intf_pub INTERFACE -fPIC -std=c++11)

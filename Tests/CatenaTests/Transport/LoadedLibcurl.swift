#if canImport(FoundationNetworking)
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The libcurl that Foundation has loaded.
enum LoadedLibcurl {
    /// The words of `curl_version`, which begin with "libcurl/8.4.0"; `nil` if the process has loaded no libcurl.
    static let words: String? = {
        #if canImport(Glibc)
        // NOLOAD finds the library that is loaded already, and loads none.
        guard let library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD), let symbol = dlsym(library, "curl_version") else { return nil }
        return String(cString: unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>).self)())
        #else
        // A statically linked program has its libcurl within, under no name.
        return nil
        #endif
    }()

    /// The numbers of the version, such as 8, 4 and 0. Without a loaded library it counts as the newest.
    static let version: [Int] = {
        guard let name = words?.split(separator: " ").first, let numbers = name.split(separator: "/").last else { return [Int.max] }
        return numbers.split(separator: ".").compactMap { Int($0) }
    }()
}
#endif

import Foundation

#if canImport(FoundationNetworking) && canImport(Glibc)
import Glibc
#endif

/// The libcurl that Foundation has loaded, on Linux.
enum LoadedLibcurl {
    /// The words of `curl_version`, which begin with "libcurl/8.4.0"; `nil` if the process has loaded no libcurl.
    static let words: String? = {
        #if canImport(FoundationNetworking) && canImport(Glibc)
        // NOLOAD finds the library that is loaded already, and loads none.
        guard let library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD), let symbol = dlsym(library, "curl_version") else { return nil }
        return String(cString: unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>).self)())
        #else
        // A statically linked program has its libcurl within, under no name.
        return nil
        #endif
    }()

    /// Such as "8.4.0" or "8.16.0-DEV".
    static var name: Substring? { words?.split(separator: " ").first?.split(separator: "/").last }

    /// Whether it is older than a version, such as 7, 66. Without a loaded library it is the newest.
    static func isOlder(than version: Int...) -> Bool {
        guard let name else { return false }
        let numbers = name.split { !$0.isNumber }.compactMap { Int($0) }
        return numbers.lexicographicallyPrecedes(version)
    }

    /// Whether URLSession hears of a connection that the server resets. With older versions Foundation watches its socket no longer.
    static var tellsResets: Bool { !isOlder(than: 7, 88) }
}

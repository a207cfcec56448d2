#if !canImport(Darwin)
// The standard library's own normalization, which has no public name yet.
@_spi(_Unicode) import Swift
#else
import CatenaPlatform
#endif

extension String {
    /// The text in Unicode's composed form (NFC).
    var composed: String {
        #if !canImport(Darwin)
        String(String.UnicodeScalarView(_nfc))
        #else
        precomposedStringWithCanonicalMapping
        #endif
    }
}

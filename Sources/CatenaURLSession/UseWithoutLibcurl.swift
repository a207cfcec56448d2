#if canImport(Darwin)
public import Catena
#else
import Catena
#endif

extension URLSessionTransport {
    /// Lets URLSession carry the calls of clients without a transport of their own where there is no fitting libcurl. Has no effect on Apple
    /// platforms, where it does so anyway.
    ///
    /// ```swift
    /// URLSessionTransport.useWithoutLibcurl()
    /// ```
    ///
    /// To be called at start-up, before the first call. It may be called on any thread, and several times.
    public static func useWithoutLibcurl() {
        #if !canImport(Darwin)
        SubstituteTransport.set { shared }
        #endif
    }
}

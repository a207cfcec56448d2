import Foundation

/// The transport of a client that was given none: libcurl on Linux, URLSession elsewhere.
package enum PlatformTransport {
    /// The transport, and what stood in the way of the platform's own if it is not that.
    package static let chosen: (transport: any Transport, obstacle: String?) = {
        #if os(Linux)
        if ProcessInfo.processInfo.environment["CATENA_TRANSPORT"] == "urlsession" { return (URLSessionTransport.shared, nil) }
        do throws(CurlTransport.Unavailable) {
            return (try CurlTransport(), nil)
        } catch {
            return (URLSessionTransport.shared, error.description)
        }
        #else
        return (URLSessionTransport.shared, nil)
        #endif
    }()
}

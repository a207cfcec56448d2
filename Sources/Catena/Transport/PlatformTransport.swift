/// The transport of a client that was given none.
enum PlatformTransport {
    static func make() -> any Transport {
        URLSessionTransport.shared
    }
}

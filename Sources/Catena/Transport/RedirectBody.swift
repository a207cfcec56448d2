/// The body of an answer that only points elsewhere: nobody reads it, so it neither counts nor can it break the call.
enum RedirectBody {
    /// How much of it is read, so that its connection can be used again; of more, the connection is closed.
    static let limit = 64 * 1024

    static func belongs(toStatus status: Int, location: String?) -> Bool {
        location != nil && [301, 302, 303, 307, 308].contains(status)
    }
}

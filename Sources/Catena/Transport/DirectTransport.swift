/// What carries a call in the task in which it runs.
enum DirectTransport {
    /// An interruption ends the transfer at once.
    case collecting(any CollectingTransport)
    /// It ends by itself.
    case limited(any Transport)

    /// Whether it sees itself to it that a transfer is over in time.
    var keepsTime: Bool {
        switch self {
        case .collecting(let transport): transport.keepsDeadlines
        case .limited: false
        }
    }
}

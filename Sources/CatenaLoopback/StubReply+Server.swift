import Catena
import CatenaPlatform

extension StubReply {
    /// The context of a server, which knows no call.
    private static let context: StubContext = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return StubContext(encoder: encoder)
    }()

    /// Returns the reply with its bytes, and with what a connection can do in place of a failure. A reply that has been on the wire stays as it is.
    func onTheWire() -> StubReply {
        var reply = self
        switch content {
        case .bytes, .chunks, .repeated, .raw, .stream, .silence: break
        case .made(let make):
            do {
                reply.content = .bytes(try make(Self.context))
            } catch {
                reply.explain("the body could not be made: \(error)")
            }
        case .failure(let error) where error.kind == .connectionLost:
            reply = truncatedHead(after: 0)
            reply.content = .bytes(Data())
        case .failure(let error) where error.kind == .timeout: reply.content = .silence
        case .failure(let error): reply.explain("a server cannot fail with the kind \(error.kind): use Stubs")
        }
        return reply
    }

    /// Replies with an error in place of a body that there cannot be. The faults stay.
    private mutating func explain(_ reason: String) {
        content = .bytes(Data(reason.utf8))
        status = 500
        headers["Content-Type"] = "text/plain; charset=utf-8"
    }

    /// The stream that writes the body, if any.
    var stream: LoopbackStream? {
        guard case .stream(let stream) = content else { return nil }
        return stream
    }
}

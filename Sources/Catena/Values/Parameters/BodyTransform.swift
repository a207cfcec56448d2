public import CatenaPlatform

/// Changes the bytes of a body that any step has set: params, `json`, `form`, `multipart` or `body`.
///
/// ```swift
/// forum.transformBody = { body, contentType in (try vault.seal(body), "application/octet-stream") }
/// forum.envelope = .standard.transformPayload { sealed in try vault.open(sealed) }
/// ```
///
/// Called for each attempt with the bytes and their media type, and returns those that are sent. An error that it throws fails the call. A call
/// whose body is a file or a stream fails too, because such a body is never in memory as a whole. `.gzip` and `.gzip(above:)` compress bodies.
public typealias BodyTransform = @Sendable (_ body: Data, _ contentType: String) throws -> (data: Data, contentType: String)

/// The content codings that the transformation of one body has applied, which become its `Content-Encoding`.
final class BodyCodings: Sendable {
    /// The codings of the body that the current task transforms, or `nil` outside a transformation.
    @TaskLocal static var current: BodyCodings?

    private let names = Mutex<[String]>([])

    /// The value of `Content-Encoding`, or `nil` without a coding.
    var value: String? {
        let names = names.withLock { $0 }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    func add(_ name: String) { names.withLock { $0.append(name) } }
}

public import Foundation

/// Changes the bytes of a body that any step has set: params, `json`, `form`, `multipart` or `body`.
///
/// ```swift
/// forum.transformBody = { body, contentType in (try vault.seal(body), "application/octet-stream") }
/// forum.envelope = .standard.transformPayload { sealed in try vault.open(sealed) }
/// ```
///
/// Called for each attempt with the bytes and their media type, and returns those that are sent. An error that it throws fails the call. A call
/// whose body is a file or a stream fails too, because such a body is never in memory as a whole.
public typealias BodyTransform = @Sendable (_ body: Data, _ contentType: String) throws -> (data: Data, contentType: String)

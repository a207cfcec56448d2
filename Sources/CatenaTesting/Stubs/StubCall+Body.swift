import Catena
import Foundation

extension StubCall {
    /// The maximum number of bytes of a body that stubs read into memory.
    private static let bodyLimit = 16 * 1024 * 1024

    /// Reads a body that is read while it is sent, and returns the call with its bytes.
    ///
    /// - Throws: The error of a body that cannot be read, as a transport does.
    static func reading(_ request: HTTPRequest, in context: StubContext) async throws -> StubCall {
        guard let source = request.bodySource else { return StubCall(request: request, context: context) }
        var request = request
        if source.length ?? 0 <= bodyLimit { request.body = try await source.bytes(upTo: bodyLimit) }
        // Replace the source, because a closure of the stub may read it once more, which a stream may not allow.
        if let bytes = request.body { request.bodySource = BodySource(bytes) }
        return StubCall(request: request, context: context)
    }

    /// A clause that says that the body is not in memory, or `nil` if it is or if there is none.
    var unreadBody: String? {
        request.body == nil && request.bodySource != nil ? "the body was not read into memory, because it is longer than 16 MiB" : nil
    }
}

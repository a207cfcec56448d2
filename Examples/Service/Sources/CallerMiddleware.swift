import HTTPTypes
import Hummingbird
import Logging

extension HTTPField.Name {
    static let requestID = HTTPField.Name("X-Request-ID")
    static let requestTimeout = HTTPField.Name("X-Request-Timeout-Ms")
}

/// Reads the ID and the time limit of a request, and puts the ID into the response.
struct CallerMiddleware: RouterMiddleware {
    /// The longest time limit of a request, which is also the default.
    static let longest = Duration.seconds(5)

    func handle(
        _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
    ) async throws -> Response {
        let asked = Self.value(.requestTimeout, of: request).flatMap(Int64.init).map { Duration.milliseconds(max($0, 0)) }
        let caller = Caller(requestID: Self.value(.requestID, of: request), patience: min(asked ?? Self.longest, Self.longest))
        var context = context
        context.logger[metadataKey: "request"] = .string(caller.requestID)
        let entered = context
        var response = try await Caller.$current.withValue(caller) { try await next(request, entered) }
        if let name = HTTPField.Name.requestID { response.headers[name] = caller.requestID }
        return response
    }

    private static func value(_ name: HTTPField.Name?, of request: Request) -> String? {
        guard let name, let value = request.headers[name], !value.isEmpty, value.count <= 128 else { return nil }
        return value
    }
}

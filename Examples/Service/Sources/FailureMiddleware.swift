import Catena
import HTTPTypes
import Hummingbird
import Logging

/// Converts the failure of a backend to a response of this service.
struct FailureMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as APIError {
            let failure = Failure(error)
            context.logger.warning("\(error.kind) \(error.code)", metadata: ["status": .stringConvertible(failure.status.code)])
            var response = try failure.response(from: request, context: context)
            response.status = failure.status
            if let wait = error.retryAfter { response.headers[.retryAfter] = "\(wait.components.seconds + 1)" }
            return response
        }
    }
}

struct Failure: ResponseCodable {
    let code: String
    let message: String
    var status: HTTPResponse.Status { Self.status(of: code) }

    /// Makes the error for the caller, without an address, headers or a body of a backend.
    init(_ error: APIError) {
        switch error.kind {
        case _ where error.status == 404: (code, message) = ("not_found", error.message)
        case .timeout: (code, message) = ("timeout", "A backend took too long.")
        case .circuitOpen, .overloaded, .rateLimited: (code, message) = ("unavailable", "A backend is not available now.")
        default: (code, message) = ("bad_gateway", "A backend failed.")
        }
    }

    private static func status(of code: String) -> HTTPResponse.Status {
        switch code {
        case "not_found": .notFound
        case "timeout": .gatewayTimeout
        case "unavailable": .serviceUnavailable
        default: .badGateway
        }
    }
}

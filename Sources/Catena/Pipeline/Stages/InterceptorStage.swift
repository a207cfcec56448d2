/// Runs an interceptor among the stages.
struct InterceptorStage: Stage {
    let interceptor: Interceptor

    var name: StageName { interceptor.position.stage }
    var explanation: String { "interceptor \"\(interceptor.name)\"" }
    var title: String { explanation }

    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        do {
            return try await call.wait { try await interceptor.body(call.noting(hasBeenIntercepted: true)) { try await next($0) } }
        } catch  where error.isCancellation {
            call.noteCancelledByCode()
            throw CancellationError()
        }
    }
}

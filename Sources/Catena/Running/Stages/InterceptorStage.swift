/// Runs an interceptor among the stages.
struct InterceptorStage: Stage {
    let interceptor: Interceptor

    var name: StageName { interceptor.position.stage }
    var explanation: String { "interceptor \"\(interceptor.name)\"" }
    var title: String { explanation }

    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        do {
            return try await call.wait {
                let around = ClosureScope.underWay
                return try await call.run.run(.interceptor(interceptor.name)) {
                    try await interceptor.body(call.noting(hasBeenIntercepted: true)) { call in
                        do {
                            // The stages behind the interceptor, such as a refresh, make calls of their own.
                            return try await ClosureScope.run(in: around) { try await next(call) }
                        } catch let error as APIError {
                            // The error has no request yet, and so not the redaction of the tag.
                            throw call.run.hidingKnownSecrets(of: error)
                        }
                    }
                }
            }
        } catch  where error.isCancellation {
            call.noteCancelledByCode()
            throw CancellationError()
        }
    }
}

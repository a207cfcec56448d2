/// One run of a request: what it was described as, what it was configured with, and how far it has come.
struct Call: Sendable {
    let request: Request
    let client: Client
    let snapshot: Snapshot
    let profile: ResolvedProfile
    /// Counts from 1.
    var attempt = 1
    /// The request as it goes out in this attempt.
    var prepared: HTTPRequest

    /// Reads the configuration and asks the common closures.
    static func prepare(_ request: Request) async throws -> Call {
        let client = request.client ?? .shared
        let snapshot = client.snapshot
        client.reportObstacle()
        if let tag = request.tag { client.reportIfUnknown(tag, in: snapshot) }
        let profile = snapshot.profile(for: request.tag)
        if let fault = (request.options.envelope ?? profile.envelope).places.fault {
            throw APIError.invalid("envelope", "\(fault)", underlying: fault)
        }
        let prepared = try await assemble(request, snapshot: snapshot, profile: profile)
        return Call(request: request, client: client, snapshot: snapshot, profile: profile, prepared: prepared)
    }

    /// The same call, for its next attempt: the common closures are asked anew.
    func next() async throws -> Call {
        var next = self
        next.attempt += 1
        next.prepared = try await Self.assemble(request, snapshot: snapshot, profile: profile)
        return next
    }

    private static func assemble(_ request: Request, snapshot: Snapshot, profile: ResolvedProfile) async throws -> HTTPRequest {
        var common = CommonValues()
        let settings = snapshot.settings
        if let source = settings.commonParams, (request.options.commonParams ?? profile.commonParams) != .none {
            do {
                common.params = try await source(request.tag)
            } catch {
                throw commonFailure("commonParams", error)
            }
        }
        if let source = settings.commonHeaders, request.options.commonHeaders != CommonHeaders.none {
            do {
                common.headers = try await source(request.tag)
            } catch {
                throw commonFailure("commonHeaders", error)
            }
        }
        return try RequestAssembly.assemble(request, profile: profile, common: common)
    }

    /// Names the closure that failed; what it threw is kept.
    private static func commonFailure(_ step: String, _ error: any Error) -> any Error {
        if error is CancellationError || error is APIError { return error }
        return APIError(.other, message: "\(step): \(APIError.wrapping(error).message)", underlying: error)
    }

    /// The error with what is known about this call.
    func annotate(_ error: any Error) -> any Error {
        if error is CancellationError { return error }
        var error = APIError.wrapping(error)
        if error.request == nil { error.request = RequestSummary(prepared, tag: request.tag) }
        error.attempts = attempt
        return error
    }
}

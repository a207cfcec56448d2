import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

/// A time in which a backend answers all of its calls, or none.
struct PropertySpell: Sendable {
    let isWell: Bool
    let end: Duration
}

// The responses of the servers.
extension PropertyWorld {
    func response(to exchange: PropertyExchange) -> Result<TransportResponse, any Error> {
        if isCalm { return .success(good(exchange)) }
        if let member = member(of: exchange), let oldest = state.withLock({ $0.oldestRenewals[member.session] }), member.renewal < oldest {
            return .success(.status(401))
        }
        let spell = state.withLock { state in state.records[exchange.call].flatMap { state.spells[$0.backend] } }
        if let spell, clock.now < spell.end {
            return spell.isWell ? .success(good(exchange)) : draw([.success(.status(503)), .failure(APIError(.connectionLost))])
        }
        // A list has several pages, so that few would be read to their end.
        if record(exchange.call)?.kind == .pages, draw(2) == 0 { return .success(good(exchange)) }
        // The target of a redirect often redirects again.
        if exchange.request.address.path.hasPrefix("/moved/"), draw(2) == 0 { return .success(redirect(exchange)) }
        switch draw(100) {
        case 0..<4: return .success(.status(503, headers: draw([[:], ["Retry-After": "1"]])))
        case 4..<6: return .success(.status(500))
        case 6..<9: return .success(.status(429, headers: ["Retry-After": draw(["0", "3", "90"])]))
        case 9..<13: return .success(.json(#"{"code":5,"msg":"no"}"#))
        case 13..<15: return .success(.json(#"{"code":0,"da"#))
        case 15..<17: return .success(.status(200))
        case 17..<21: return .failure(APIError(.connectionLost))
        case 21..<23: return .failure(APIError(draw([.dns, .offline, .connect, .timeout, .tls])))
        case 23..<24: return .failure(Failure())
        case 24..<25: return .failure(CancellationError())
        case 36..<40: return .failure(reset(exchange))
        case 25..<28: return .success(.status(draw([401, 404, 304])))
        case 28..<34: return .success(redirect(exchange))
        case 34..<36: return .success(broken(exchange))
        default: return .success(good(exchange))
        }
    }

    private func member(of exchange: PropertyExchange) -> PropertyMember? {
        exchange.request.headers["Authorization"].flatMap(PropertyMember.init(token:))
    }

    private func redirect(_ exchange: PropertyExchange) -> TransportResponse {
        let query = PropertyList.position(in: exchange.request.address).map { "?" + $0 } ?? ""
        let path = "/moved/\(exchange.call)\(Self.place(exchange.request.address.path))\(query)"
        let home = "https://\(Self.host(record(exchange.call)?.backend ?? 0))"
        let location = draw([
            path, path, home + path, "https://\(Self.otherHost)\(path)", "http://\(Self.otherHost)\(path)", "gopher:", "https://[",
        ])
        return .status(draw([301, 302, 303, 307, 308]), headers: ["Location": location])
    }

    /// Returns the error of a server that has not processed the request, or of a dead kept connection.
    private func reset(_ exchange: PropertyExchange) -> APIError {
        update(exchange.call) { $0.resets += 1 }
        var error = APIError(.connectionLost)
        error.contents.repeatReason = draw(2) == 0 ? .notProcessed : .deadConnection
        return error
    }

    private func broken(_ exchange: PropertyExchange) -> TransportResponse {
        .pieces([#"{"code":0,"#], status: draw([200, 200, 503]), end: APIError(.connectionLost))
    }

    private func good(_ exchange: PropertyExchange) -> TransportResponse {
        let request = exchange.request
        let place = Self.place(request.address.path)
        let isForeign = request.address.host == Self.otherHost
        let record = record(exchange.call)
        let key = "\(record?.backend ?? 0) \(place)"
        var reply = PropertyReply(call: exchange.call, path: place)
        reply.isElsewhere = isForeign || place != request.address.path
        reply.token = request.headers["Authorization"] ?? ""
        reply.person = request.headers["X-Person"] ?? ""
        reply.version = .max
        // The response has the version at the arrival of the request, or the one at its own departure.
        let isEarly = request.method != .post && draw(2) == 0
        if !reply.isElsewhere {
            reply.version = state.withLock { state in
                if request.method == .post { state.versions[key, default: 0] += 1 }
                return isEarly ? exchange.version : state.versions[key] ?? 0
            }
            if request.method == .post { update(exchange.call) { $0.version = reply.version } }
        }
        if let record, record.kind.isStreamed { return streamed(reply, record) }
        let tag = "\"\(reply.version) \(reply.token) \(reply.person)\""
        if request.headers["If-None-Match"] == tag, isCalm || draw(10) < 7 { return .status(304, headers: ["Cache-Control": "max-age=1"]) }
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        if draw(2) == 0 { headers["ETag"] = tag }
        switch draw(6) {
        case 0: headers["Cache-Control"] = "max-age=5"
        case 1:
            headers["Cache-Control"] = "max-age=1, stale-while-revalidate=60"
            _ = state.withLock { $0.renewable.insert(key) }
        case 2: headers["Cache-Control"] = "max-age=1, stale-if-error=60"
        case 3: headers["Cache-Control"] = draw(["no-store", "no-cache", "max-age=60, must-revalidate"])
        default: break
        }
        if draw(8) == 0 { headers["Vary"] = draw(["X-Person", "Authorization", "*"]) }
        let body = PropertyList(path: place).map { $0.body(of: PropertyList.page(in: request.address), reply) } ?? reply.enveloped
        return TransportResponse(status: 200, headers: headers, body: TransportBody(body))
    }

    /// Returns a response with a body whose pieces the world sends later.
    private func streamed(_ reply: PropertyReply, _ record: PropertyRecord) -> TransportResponse {
        // The status 204 ends a stream of events for good.
        if isCalm, record.kind == .events { return .status(204) }
        let (stream, pieces) = AsyncThrowingStream<Data, any Error>.makeStream()
        let number = state.withLock { state in
            state.lastExchange += 1
            return state.lastExchange
        }
        state.withLock { $0.bodies[number] = (record.number, pieces) }
        pieces.onTermination = { [weak self] _ in self?.state.withLock { $0.bodies[number] = nil } }
        let text = record.kind == .events ? "id: \(number)\ndata: \(reply.text)\n\n" : reply.text + "\n"
        pieces.yield(Data(text.utf8))
        if isCalm || draw(3) == 0 { pieces.finish(throwing: isCalm || draw(2) == 0 ? nil : APIError(.connectionLost)) }
        let type = record.kind == .events ? "text/event-stream" : "text/plain"
        return TransportResponse(status: 200, headers: ["Content-Type": type], body: TransportBody(stream))
    }

    /// Returns the path that a call requested, even after a redirect.
    static func place(_ path: String) -> String {
        let parts = path.split(separator: "/")
        return parts.count == 3 ? "/\(parts[2])" : path
    }
}

import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

/// The servers of a ``PropertyWorld``. A request waits until the world lets its server respond.
final class PropertyServer: Transport {
    private struct Place: Sendable {
        weak var world: PropertyWorld?
    }

    private let place = Mutex(Place())

    func begin(_ world: PropertyWorld) {
        place.withLock { $0.world = world }
    }

    var world: PropertyWorld {
        get throws {
            guard let world = place.withLock({ $0.world }) else { throw PropertyViolation(description: "the world is gone") }
            return world
        }
    }

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        let world = try world
        let number = world.arrive(request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { world.hold(number, $0) }
        } onCancel: {
            world.drop(number)
        }
    }
}

extension PropertyWorld {
    fileprivate func arrive(_ request: HTTPRequest) -> Int {
        let call = check(sent: request)
        let isHasty = isCalm || draw(100) < 40
        let (number, now) = (state.withLock { $0.lastExchange } + 1, clock.now)
        log(
            "request \(number) of call \(call): \(request.method) \(request.address.host)\(request.address.path) \(request.headers["Authorization"] ?? "")"
        )
        checkOnce(request, of: call)
        let place = "\(record(call)?.backend ?? 0) \(Self.place(request.address.path))"
        state.withLock { state in
            state.lastExchange = number
            state.exchanges[number] = PropertyExchange(
                number: number, call: call, request: request, began: now, isHasty: isHasty, version: state.versions[place] ?? 0)
        }
        return number
    }

    fileprivate func hold(_ number: Int, _ continuation: CheckedContinuation<TransportResponse, any Error>) {
        let exchange = state.withLock { state -> PropertyExchange? in
            state.exchanges[number]?.waiting = continuation
            return state.exchanges[number]
        }
        if exchange?.isDropped == true { finish(number, .failure(CancellationError())) }
        if exchange?.isHasty == true { answer(number) }
    }

    fileprivate func drop(_ number: Int) {
        let isWaiting = state.withLock { state in
            state.exchanges[number]?.isDropped = true
            return state.exchanges[number]?.waiting != nil
        }
        if isWaiting { finish(number, .failure(CancellationError())) }
    }

    fileprivate func finish(_ number: Int, _ result: Result<TransportResponse, any Error>) {
        state.withLock { $0.exchanges.removeValue(forKey: number) }?.waiting?.resume(with: result)
    }

    /// Lets a server respond to a request, in a random way.
    func answer(_ number: Int) {
        guard let exchange = state.withLock({ $0.exchanges[number] }), exchange.waiting != nil else { return }
        let result = response(to: exchange)
        noteWait(result, of: exchange)
        switch result {
        case .success(let response):
            log("request \(number) gets \(response.status) \(response.headers["Cache-Control"] ?? "")\(response.headers["Location"] ?? "")")
        case .failure(let error): log("request \(number) fails: \((error as? APIError)?.kind.name ?? "\(error)")")
        }
        finish(number, result)
    }
}

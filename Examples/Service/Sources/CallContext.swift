import Hummingbird
import NIOCore

/// The context of a request, with the connection of its caller.
struct CallContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Runs work in a task, and cancels the task if the caller closes the connection.
    func whileConnected<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await work() }
        CallerWatch.set({ task.cancel() }, on: channel)
        defer { CallerWatch.set(nil, on: channel) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// Observes that a caller closes the connection. Otherwise the connection stays open for the next request, unlike with Hummingbird's
/// `consumeWithCancellationOnInboundClose`. Belongs to the event loop of its channel.
final class CallerWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private var isClosed = false
    private var onClose: (@Sendable () -> Void)?

    /// A connection carries one request at a time, so one closure suffices.
    static func set(_ onClose: (@Sendable () -> Void)?, on channel: any Channel) {
        channel.eventLoop.execute {
            guard let watch = try? channel.pipeline.syncOperations.handler(type: CallerWatch.self) else { return }
            watch.onClose = onClose
            if watch.isClosed { onClose?() }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { close() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    private func close() {
        isClosed = true
        onClose?()
        onClose = nil
    }
}

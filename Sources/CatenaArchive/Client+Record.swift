public import Catena

extension Client {
    /// Records every attempt of every call from now on. A second recording into the same recorder replaces the first, so that no attempt is
    /// recorded twice.
    ///
    /// - Returns: A registration that ends the recording; recorded attempts stay in the recorder. It may be ignored.
    @discardableResult
    public func record(into recorder: HARRecorder) -> Registration {
        active.logQueues.add(recorder.queue)
        let records = CallRecords()
        return add(
            CallObserver(isImmediate: true, at: recorder) { event in
                for call in records.record(event) { recorder.add(call) }
            })
    }
}

extension API {
    /// Records every attempt of every call from now on, until it is ended. See ``HARRecorder``.
    @discardableResult
    public static func record(into recorder: HARRecorder) -> Registration {
        Client.current.record(into: recorder)
    }
}

extension Client {
    /// Adds an observer of all calls, replacing an observer that writes to the same object.
    package func add(_ observer: CallObserver) -> Registration {
        let client = active
        client.install { settings in
            if let place = observer.place { settings.observers.removeAll { $0.place === place } }
            settings.observers.append(observer)
        }
        return Registration { [weak client] in
            observer.end()
            client?.install { $0.observers.removeAll { $0 === observer } }
        }
    }

    /// Adds a keeper of failures among the calls that begin from now on.
    package func add(_ watcher: any CallWatcher & FailureKeeper) -> Registration {
        let client = active
        client.install { $0.keepers.append(watcher) }
        return Registration { [weak client] in
            client?.install { settings in
                settings.watchers.removeAll { $0 === watcher }
                settings.keepers.removeAll { $0 === watcher }
            }
        }
    }

    /// Makes an added watcher observe the calls that begin from now on, or only keep those that fail. Each call uses one of these ways.
    package func turn(_ watcher: any CallWatcher & FailureKeeper, isWatching: Bool) {
        install { settings in
            guard settings.watchers.contains(where: { $0 === watcher }) || settings.keepers.contains(where: { $0 === watcher }) else {
                return
            }
            settings.watchers.removeAll { $0 === watcher }
            settings.keepers.removeAll { $0 === watcher }
            if isWatching { settings.watchers.append(watcher) } else { settings.keepers.append(watcher) }
        }
    }

    /// Logs every attempt of every call, without secrets.
    ///
    /// ```swift
    /// client.log()
    /// client.log(.verbose, to: .standardError)
    /// client.log(.oneLine, to: LogSink { line in screen.append(line) })
    /// ```
    ///
    /// A second log to the same sink replaces the first, so that no line appears twice. A log to another sink is separate. Entries are written
    /// after the events, and never delay a call.
    ///
    /// - Returns: A registration that ends the log after pending entries are written. It may be ignored.
    @discardableResult
    public func log(_ detail: LogDetail = .oneLine, to sink: LogSink = .system) -> Registration {
        let log = CallLogWriter(detail: detail, sink: sink)
        active.logQueues.add(log.queue)
        return add(CallObserver(isImmediate: true, at: sink.identity) { log.note($0) })
    }
}

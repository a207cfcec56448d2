public import Foundation

extension Request {
    /// Tells, on the main actor, how far the transfer of a body is: at most ten times per second, never backwards, and 1 at the end of a
    /// success. Of a call that fails or is cancelled nothing is told any more.
    ///
    /// ```swift
    /// .onProgress { progress in self.bar.value = progress.fraction ?? 0 }
    /// ```
    ///
    /// - Parameter direction: Which way; without it both are told of, each with its ``TransferProgress/direction``.
    public consuming func onProgress(
        _ direction: TransferProgress.Direction? = nil,
        _ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void
    ) -> Request {
        options.progressObservers.append(ProgressObserver(direction: direction, tell: handler))
        return self
    }

    /// Keeps a Foundation `Progress` up to date, on the main actor: its unit is the byte, and it is indeterminate while the total is not
    /// known.
    public consuming func reporting(to progress: Progress, _ direction: TransferProgress.Direction = .download) -> Request {
        onProgress(direction) { transfer in
            progress.totalUnitCount = transfer.total ?? -1
            progress.completedUnitCount = transfer.completed
        }
    }

    /// Lets a handle hold up the request and let it go on.
    public consuming func control(_ control: TransferControl) -> Request {
        options.control = control
        return self
    }
}

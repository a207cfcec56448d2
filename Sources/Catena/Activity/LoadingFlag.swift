/// A flag of an object that is set while any of several calls is under way, and then put back.
@MainActor
final class LoadingFlag<Model: AnyObject> {
    private weak var model: Model?
    private let keyPath: ReferenceWritableKeyPath<Model, Bool>

    init(_ keyPath: ReferenceWritableKeyPath<Model, Bool>, of model: Model) {
        self.keyPath = keyPath
        self.model = model
    }

    /// Counts one call more. Gives what counts it less.
    func raise() -> @MainActor () -> Void {
        guard let model else { return {} }
        let key = LoadingCount.Key(object: ObjectIdentifier(model), keyPath: keyPath)
        let count: LoadingCount
        // Another object may have been at this address before.
        if let present = LoadingCount.all[key], present.object === model {
            count = present
        } else {
            count = LoadingCount(model, former: model[keyPath: keyPath])
            LoadingCount.all[key] = count
        }
        count.calls += 1
        if count.calls == 1 { model[keyPath: keyPath] = true }
        return { [keyPath] in
            count.calls -= 1
            guard count.calls == 0 else { return }
            if LoadingCount.all[key] === count { LoadingCount.all[key] = nil }
            if let model = count.object as? Model { model[keyPath: keyPath] = count.former }
        }
    }
}

/// How many calls hold a flag up.
@MainActor
private final class LoadingCount {
    struct Key: Hashable {
        let object: ObjectIdentifier
        let keyPath: AnyKeyPath
    }

    static var all: [Key: LoadingCount] = [:]

    private(set) weak var object: AnyObject?
    /// What the flag was before the first call.
    let former: Bool
    var calls = 0

    init(_ object: AnyObject, former: Bool) {
        self.object = object
        self.former = former
    }
}

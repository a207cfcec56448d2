import CatenaPlatform

/// The one value that Catena stores for each thread.
///
/// Swift has no thread-local storage, hence the POSIX key. The proof: a slot holds either nothing or one retained `Trampoline`. Only the thread
/// that owns the slot reads or writes it. The destructor runs on that thread at its end, and every write releases the value that it replaces.
/// The trampoline itself never leaves its thread.
enum ThreadLocal {
    static var trampoline: Trampoline {
        get {
            if let pointer = pthread_getspecific(key) {
                return Unmanaged<Trampoline>.fromOpaque(pointer).takeUnretainedValue()
            }
            let made = Trampoline()
            Self.trampoline = made
            return made
        }
        set {
            let former = pthread_getspecific(key)
            guard former != Unmanaged.passUnretained(newValue).toOpaque() else { return }
            pthread_setspecific(key, Unmanaged.passRetained(newValue).toOpaque())
            if let former { Unmanaged<Trampoline>.fromOpaque(former).release() }
        }
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            #if canImport(Darwin)
            Unmanaged<Trampoline>.fromOpaque(pointer).release()
            #else
            if let pointer { Unmanaged<Trampoline>.fromOpaque(pointer).release() }
            #endif
        }
        return key
    }()
}

/// Something that knows its own place in an ``ExpiryQueue``, so that it can be taken out without a search.
protocol Expiring: AnyObject {
    /// Where the queue has it; -1 if it has not.
    var expiryPlace: Int { get set }
}

/// What has a limit of time, the first that is due in front: a binary heap. Pure.
///
/// Limits of one length come in the order in which they end. Then nothing is moved when one is added.
struct ExpiryQueue<Element: Expiring> {
    private struct Entry {
        let expiry: Int64
        let element: Element
    }

    private var heap: [Entry] = []

    var first: (expiry: Int64, element: Element)? { heap.first.map { ($0.expiry, $0.element) } }

    /// - Parameter expiry: In any unit, of any beginning.
    mutating func add(_ element: Element, expiry: Int64) {
        heap.append(Entry(expiry: expiry, element: element))
        rise(from: heap.count - 1)
    }

    /// Takes an element out, if it is there.
    mutating func remove(_ element: Element) {
        let place = element.expiryPlace
        guard place >= 0 else { return }
        element.expiryPlace = -1
        let last = heap.removeLast()
        guard place < heap.count else { return }
        let isEarlier = last.expiry < heap[place].expiry
        heap[place] = last
        if isEarlier { rise(from: place) } else { sink(from: place) }
    }

    private mutating func rise(from start: Int) {
        var place = start
        heap.withUnsafeMutableBufferPointer { heap in
            while place > 0 {
                let parent = (place - 1) / 2
                guard heap[place].expiry < heap[parent].expiry else { break }
                heap.swapAt(place, parent)
                heap[place].element.expiryPlace = place
                place = parent
            }
            heap[place].element.expiryPlace = place
        }
    }

    private mutating func sink(from start: Int) {
        var place = start
        heap.withUnsafeMutableBufferPointer { heap in
            while 2 * place + 1 < heap.count {
                var child = 2 * place + 1
                if child + 1 < heap.count, heap[child + 1].expiry < heap[child].expiry { child += 1 }
                guard heap[child].expiry < heap[place].expiry else { break }
                heap.swapAt(place, child)
                heap[place].element.expiryPlace = place
                place = child
            }
            heap[place].element.expiryPlace = place
        }
    }
}

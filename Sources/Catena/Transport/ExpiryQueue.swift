/// An element that stores its own index in an ``ExpiryQueue``, so that it can be removed without a search.
protocol Expiring: AnyObject {
    /// The index in the queue, or -1 if the element is not in it.
    var expiryPlace: Int { get set }
}

/// A queue of elements with an expiry, the earliest first: a binary heap. Pure.
///
/// Elements with equal time limits are added in the order in which they expire, so that adding one moves no other.
struct ExpiryQueue<Element: Expiring> {
    private struct Entry {
        let expiry: Int64
        let element: Element
    }

    private var heap: [Entry] = []

    var first: (expiry: Int64, element: Element)? { heap.first.map { ($0.expiry, $0.element) } }

    /// - Parameter expiry: The time of expiry, in any unit and from any origin.
    mutating func add(_ element: Element, expiry: Int64) {
        heap.append(Entry(expiry: expiry, element: element))
        rise(from: heap.count - 1)
    }

    /// Removes an element, if the queue has it.
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

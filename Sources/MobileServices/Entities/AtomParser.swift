import HttpConvFormats

/// Reads an Atom document into elements.
enum AtomParser {
    static func parse(_ bytes: [UInt8]) throws(EntityFailure) -> AtomElement {
        let builder = Builder()
        do throws(FormatFailure) {
            try XMLEventReader.read(bytes, maximumDepth: 32, maximumElements: 10_000, handler: builder)
        } catch {
            throw EntityFailure(error.reason)
        }
        guard let root = builder.root else { throw EntityFailure("it is not well-formed XML") }
        return root
    }

    private final class Builder: XMLEventHandler {
        private(set) var root: AtomElement?
        private var open: [AtomElement] = []

        func started(_ element: XMLElementStart) {
            // Attributes of the metadata namespace, and those without a namespace.
            let attributes = element.attributes.filter {
                $0.namespace.isEmpty || $0.namespace == AtomElement.Namespace.metadata
            }
            open.append(
                AtomElement(
                    name: element.name, namespace: element.namespace,
                    attributes: Dictionary(attributes.map { ($0.name, $0.value) }) { $1 }))
        }

        func ended() {
            guard let element = open.popLast() else { return }
            if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
        }

        func read(_ text: String) {
            if !open.isEmpty { open[open.count - 1].text += text }
        }
    }
}

/// The position of a decoder in a value. Its coding keys are made only on demand.
indirect enum DecodingPath {
    case root
    case key(any CodingKey, DecodingPath)
    case index(Int, DecodingPath)

    var keys: [any CodingKey] {
        switch self {
        case .root: []
        case .key(let key, let path): path.keys + [key]
        case .index(let index, let path): path.keys + [Place(index)]
        }
    }

    private struct Place: CodingKey {
        let intValue: Int?
        var stringValue: String { "\(intValue ?? 0)" }

        init(_ index: Int) { intValue = index }
        init?(intValue: Int) { self.init(intValue) }
        init?(stringValue: String) { nil }
    }
}

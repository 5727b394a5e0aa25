import Foundation
import TestLandscape

/// The story of -v without parts that differ between runs: ports, times, sizes, dates, the authority's number.
struct ToldStory {
    let lines: [String]

    init(_ errors: String, of landscape: Landscape) {
        var text = errors.replacing("\r\n", with: "\n")
        for origin in LandscapeOrigin.allCases {
            let place = landscape.urlString(origin, "")
            let name = origin.rawValue.uppercased()
            text = text.replacing(place, with: name)
            text = text.replacing(place.replacing("127.0.0.1", with: "localhost"), with: name)
            text = text.replacing("127.0.0.1:\(landscape.port(origin))", with: "\(name) HOST")
        }
        text = text.replacing(#/[0-9]+\.[0-9] ms/#, with: "# ms").replacing(#/[0-9]+ bytes/#, with: "# bytes")
            .replacing(#/CA [0-9a-f]+/#, with: "CA").replacing(#/[0-9]{4}-[0-9]{2}-[0-9]{2}/#, with: "DATE")
        lines = text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("* ") }.map {
            String($0.dropFirst(2))
        }
    }
}

"""Words that tell sizes of tensors in English, by the axis that they name, as patterns."""

AXIS_WORDS = {  # what stands before or behind a size
    "batch": (
        r"(?:mini[ -]?)?batch(?:[ _-]?size)?|bsz?|samples|images|pictures|photos|frames|sequences|"
        r"sentences|signals|clips|waveforms|documents|examples|batches|videos|volumes|"
        r"feature maps|activations|queries"
    ),
    "rows": r"rows|vectors|nodes|points|users|items|records|embeddings|descriptors|lines",
    "matrices": r"matrices",
    "channels": r"(?:input )?channels?|ch|feature channels|planes",
    "heads": r"(?:attention |kv |query )?heads?|num_heads|n_heads",
    "tokens": (
        r"tokens?|seq(?:uence)?(?:[ _-]?len(?:gth)?)?|length|len|time ?steps?|steps|frames?|"
        r"positions|samples long"
    ),
    "hidden": (
        r"hidden(?:[ _-]?(?:size|dim|units|state))?|d_?model|features?|"
        r"embed(?:ding)?(?:[ _-]?(?:dim|size))?|vocab(?:ulary)?|model dim|dims?|dimensions|"
        r"feature size"
    ),
    "head_dim": r"head[ _-]?(?:dim|size)(?:ension)?s?|dim per head|dims per head",
    "columns": (
        r"columns|cols|entries|values|elements|numbers|floats|wide|long|labels|classes|categories|"
        r"scores|logits|coordinates"
    ),
    "height": r"height|high|tall",
    "width": r"width",
    "depth": r"depth|deep|slices",
}
AXIS_LETTERS = {
    "N": "batch",
    "B": "batch",
    "C": "channels",
    "H": "height",
    "W": "width",
    "D": "depth",
    "T": "tokens",
    "L": "tokens",
    "S": "tokens",
}
CALLED_AXES = {  # "over the sequence"
    "channels": r"channels?",
    "heads": r"heads?",
    "tokens": (
        r"seq(?:uence)?(?:[ _-]?len(?:gth)?)?|time(?: ?steps?)?|tokens?|length|positions?|frames?|"
        r"steps"
    ),
    "hidden": r"hidden|features?|embeddings?|model|vocab(?:ulary)?",
    "head_dim": r"head[ _-]?dim",
    "columns": r"columns|entries|class(?:es)?|labels|categories|vocab(?:ulary)?",
}
COUNTS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
COLOURS = {"rgb": 3, "color": 3, "colour": 3, "rgba": 4, "grayscale": 1, "greyscale": 1}  # how many channels
ORDERS = (  # of the axes of a tensor
    ("batch", "channels", "depth", "height", "width"),
    ("batch", "channels", "tokens"),
    ("batch", "tokens", "channels"),
    ("batch", "tokens", "hidden"),
    ("batch", "heads", "tokens", "head_dim"),
    ("batch", "tokens", "heads", "head_dim"),
    ("batch", "tokens", "columns"),
    ("batch", "rows", "columns"),
    ("batch", "rows", "hidden"),
    ("batch", "hidden"),
    ("batch", "columns"),
    ("rows", "columns"),
    ("rows", "hidden"),
)
ROWS = r"rows|vectors|nodes|points|users|items|records|embeddings|descriptors|lines"
VECTORS = (
    r"pos_?weight|(?:class |per-class )?weights?|gamma|beta|bias(?:es)?|scales?|shift|slopes?|"
    r"running_mean|running_var|idx|ids?|index|indices|labels?|targets?|boundaries|edges?|bins|"
    r"lengths|offsets|lookup|mask"
)
SCALES = r"weights?|gamma|beta|bias(?:es)?|scales?|shift|slopes?"
NAMED_ALONE = (
    r"[a-z]\d?|targets?|labels?|mask|other|up|gate|source|src|end|var|variance|bias|residual|"
    r"key|value|mean|weight"
)  # what "b the same" may tell of
NO_TENSORS = (
    r"out(?:put)?s?|results?|return\w*|shape|size|dtype|type|it|is|are|of|and|the|in|has|with|"
    r"both|all|same|that|them|they|these|two|keepdim|x|everything|rest|but"
)

// What the vendor's CPU mode launches with: here <<<>>> runs on the twin with and without it.
#pragma once
